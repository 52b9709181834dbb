import { setImmediate } from 'node:timers/promises'
import { equalBytes, fromHex, sha256, toHex } from '../../../protocol/encoding/bytes.ts'
import { tickEntry, type Entry, decodeEntry, encodeEntry } from '../../../protocol/admission/entry.ts'
import type { NetworkProfile } from '../../../protocol/profile/profile.ts'
import { sharesPrefix } from '../../../protocol/neighbourhood/key-space.ts'
import { decodeReveal } from '../../../protocol/claim/reveal.ts'
import { encodeStub, stubOf } from '../../../protocol/admission/holder.ts'
import { lastPart, nameTable, type EntryTable } from '../../../store/keys.ts'
import { readOrSetAside } from '../../../store/stored-shapes.ts'
import type { Store, StoreOperation } from '../../../store/types.ts'
import type { RoundClock } from '../../../time/clock.ts'

/** Entries read between turns of the event loop: about 5 ms. */
const ENTRIES_AT_A_TIME = 100

const NOTHING = new Uint8Array()

export interface Held {
  readonly entry: Entry
  /** The encoded Reveal; missing where only the stub of a settled claim is kept. */
  readonly record?: Uint8Array
  /** That of the entry's notice. */
  readonly notice?: Uint8Array
}

/** Whether a record is that of the entry's notice. */
export function isNoticeOf({ notice }: Entry, record: Uint8Array): boolean {
  return notice !== undefined && equalBytes(notice.claim.recordHash, sha256(record))
}

/** The records to save where `record` is that of the entry, or of its notice, and the other one was `held`. */
export function holdingRecord(entry: Entry, record: Uint8Array, held: Held | undefined): Held {
  const others = [held?.record, held?.notice].filter((each) => each !== undefined)
  const recordOf = (hash: Uint8Array | undefined): Uint8Array | undefined =>
    [record, ...others].find((each) => hash !== undefined && equalBytes(sha256(each), hash))
  const [served, notice] = [recordOf(entry.claim.recordHash), recordOf(entry.notice?.claim.recordHash)]
  return { entry, ...(served && { record: served }), ...(notice && { notice }) }
}

/** The entries of this node, by K. */
export type Entries = ReturnType<typeof createEntries>

export function createEntries(
  store: Store,
  profile: NetworkProfile,
  clock: RoundClock,
  { keys, prefixes }: EntryTable = nameTable
) {
  const unsettled = new Map<string, Entry>()
  const stubs = new Set<string>()

  const tick = (entry: Entry): Entry | undefined => tickEntry(entry, clock.time(), profile)
  const note = (id: string, entry: Entry): void => {
    if (entry.state === 'settled') unsettled.delete(id)
    else unsettled.set(id, entry)
  }
  /** Marks an unsettled entry: at the start only those are read. */
  const mark = (key: Uint8Array, { state }: Entry): StoreOperation =>
    state === 'settled' ? { delete: keys.unsettled(key) } : { put: keys.unsettled(key), value: NOTHING }
  /** The operations that write an entry in the state that time has brought it to. */
  const writing = (key: Uint8Array, entry: Entry): StoreOperation[] => {
    const notice = entry.notice === undefined ? store.get(keys.notice(key)) : undefined
    const isFinal = notice !== undefined && equalBytes(sha256(notice), entry.claim.recordHash)
    return [
      { put: keys.entry(key), value: encodeEntry(entry) },
      mark(key, entry),
      ...(isFinal ? [{ put: keys.record(key), value: notice }] : []),
      ...(entry.notice === undefined ? [{ delete: keys.notice(key) }] : [])
    ]
  }
  const dropAll = (ids: readonly string[]): void => {
    if (ids.length === 0) return
    store.batch(
      ids.map(fromHex).flatMap((key) =>
        [keys.entry(key), keys.record(key), keys.notice(key), keys.stub(key), keys.unsettled(key)].map((each) => ({
          delete: each
        }))
      )
    )
    for (const id of ids) {
      unsettled.delete(id)
      stubs.delete(id)
    }
    total -= ids.length
  }

  if (store.get(keys.entriesIndexed()) === undefined) markAll(store, mark, { keys, prefixes })
  for (const storeKey of store.keys(prefixes.unsettled)) {
    const entryKey = keys.entry(fromHex(lastPart(storeKey)))
    const entry = readOrSetAside(store, entryKey, store.get(entryKey), decodeEntry)
    if (entry === undefined) store.delete(storeKey)
    else note(lastPart(storeKey), entry)
  }
  for (const storeKey of store.keys(prefixes.stubs)) stubs.add(lastPart(storeKey))
  let total = store.count(prefixes.entries)

  return {
    /** The entry under K in its present state; undefined for none or a dead one. */
    load(key: Uint8Array): Held | undefined {
      const stored = readOrSetAside(store, keys.entry(key), store.get(keys.entry(key)), decodeEntry)
      const entry = stored && tick(stored)
      if (entry === undefined) return undefined
      const record = store.get(keys.record(key))
      if (record === undefined) return { entry }
      // A notice that has become final is the record now.
      const notice = stored?.notice === undefined ? undefined : store.get(keys.notice(key))
      if (notice === undefined) return { entry, record }
      return entry.notice === undefined ? { entry, record: notice } : { entry, record, notice }
    },
    /** Durable when it returns. Without a record, or that of the notice, the held one remains. */
    save(key: Uint8Array, { entry, record, notice }: Held): void {
      const id = toHex(key)
      const storeKey = keys.entry(key)
      const isNew = store.get(storeKey) === undefined
      const withRecord: StoreOperation[] =
        record === undefined ? [] : [{ put: keys.record(key), value: record }, { delete: keys.stub(key) }]
      const withNotice: StoreOperation[] =
        entry.notice === undefined || notice === undefined ? [] : [{ put: keys.notice(key), value: notice }]
      store.batch([...writing(key, entry), ...withRecord, ...withNotice])
      note(id, entry)
      if (isNew) total++
      if (record !== undefined) stubs.delete(id)
    },
    /** Keeps only the stub of a settled entry, which still refuses other claims [displaced holders]. */
    dropPayload(key: Uint8Array): void {
      const held = this.load(key)
      if (held?.record === undefined || held.entry.state !== 'settled') return
      const entry: Entry & { notice?: unknown } = { ...held.entry }
      delete entry.notice
      store.batch([
        ...writing(key, entry),
        { delete: keys.record(key) },
        { put: keys.stub(key), value: encodeStub(stubOf(decodeReveal(held.record))) }
      ])
      stubs.add(toHex(key))
    },
    isStub: (key: Uint8Array) => stubs.has(toHex(key)),
    /**
     * Entries without records, ascending by K, under the first `bits` bits of `key` and behind `after`; undefined for
     * each dead or unreadable one.
     */
    *under(
      key: Uint8Array,
      bits: number,
      after?: Uint8Array
    ): IterableIterator<[key: Uint8Array, entry: Entry | undefined]> {
      // The store narrows by whole hex digits. Matches of the remaining bits are contiguous: none before or behind them
      // is read.
      const hex = toHex(firstUnder(key, bits))
      const first = prefixes.entriesUnder(hex.slice(0, Math.ceil(bits / 4)))
      const next = after === undefined ? '' : keys.entry(after)
      for (const [storeKey, bytes] of store.list(
        prefixes.entriesUnder(hex.slice(0, Math.floor(bits / 4))),
        next > first ? next : first
      )) {
        const found = fromHex(lastPart(storeKey))
        if (!sharesPrefix(key, found, bits)) return
        const stored = readOrSetAside(store, storeKey, bytes, decodeEntry)
        yield [found, stored && tick(stored)]
      }
    },
    *all(): IterableIterator<Uint8Array> {
      for (const storeKey of store.keys(prefixes.entries)) yield fromHex(lastPart(storeKey))
    },
    /** Writes the present state of all unsettled entries; returns those still unsettled, by K in hex. */
    tickUnsettled(): ReadonlyMap<string, Entry> {
      const dead: string[] = []
      const changed: [id: string, entry: Entry][] = []
      for (const [id, entry] of unsettled) {
        const now = tick(entry)
        if (now === undefined) dead.push(id)
        else if (now !== entry) changed.push([id, now])
      }
      dropAll(dead)
      if (changed.length > 0) store.batch(changed.flatMap(([id, entry]) => writing(fromHex(id), entry)))
      for (const [id, entry] of changed) note(id, entry)
      return unsettled
    },
    /** Deletes dead entries in parts, so that no request waits for it. */
    async dropDead(): Promise<void> {
      let dead: string[] = []
      let looked = 0
      for (const [storeKey, bytes] of store.list(prefixes.entries)) {
        const stored = readOrSetAside(store, storeKey, bytes, decodeEntry)
        if (stored !== undefined && tick(stored) === undefined) dead.push(lastPart(storeKey))
        if (++looked % ENTRIES_AT_A_TIME !== 0) continue
        dropAll(dead)
        dead = []
        await setImmediate()
      }
      dropAll(dead)
    },
    drop(key: Uint8Array): void {
      if (store.get(keys.entry(key)) !== undefined) dropAll([toHex(key)])
    },
    dropLatestProvisional(): boolean {
      const provisional = [...unsettled].filter(([, { state }]) => state === 'provisional')
      if (provisional.length === 0) return false
      const [latest] = provisional.reduce((last, next) => (next[1].tenureRound >= last[1].tenureRound ? next : last))
      dropAll([latest])
      return true
    },
    /** The highest place in the order of arrival that an entry has here; 0 without any. */
    lastArrival: () => [...unsettled.values()].reduce((last, { arrival = 0 }) => Math.max(last, arrival), 0),
    count: () => total,
    provisional: () => [...unsettled.values()].filter(({ state }) => state === 'provisional').length
  }
}

function firstUnder(key: Uint8Array, bits: number): Uint8Array {
  return key.map((byte, index) => byte & ~(0xff >> Math.min(8, Math.max(0, bits - 8 * index))))
}

/** Marks the entries of a store from before marks existed: once, some seconds for a hundred thousand. */
function markAll(
  store: Store,
  mark: (key: Uint8Array, entry: Entry) => StoreOperation,
  { keys, prefixes }: EntryTable
): void {
  const operations: StoreOperation[] = []
  for (const [storeKey, bytes] of store.list(prefixes.entries)) {
    const entry = readOrSetAside(store, storeKey, bytes, decodeEntry)
    if (entry !== undefined && entry.state !== 'settled') operations.push(mark(fromHex(lastPart(storeKey)), entry))
  }
  store.batch([...operations, { put: keys.entriesIndexed(), value: NOTHING }])
}
