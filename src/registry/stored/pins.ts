import { encode } from 'cborg'
import * as v from 'valibot'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { leaseState, type ProtocolTime } from '../../protocol/time.ts'
import type { Pin } from '../../protocol/resolution/pin.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { keys, lastPart, prefixes, roundOf } from '../../store/keys.ts'
import { Bytes32, Count, readCbor, readOrSetAside, Text } from '../../store/stored-shapes.ts'
import type { Store, StoreOperation } from '../../store/types.ts'
import type { Name } from '../../protocol/name/names.ts'

/** Some 30 MB of the database. */
const MAX_PINS = 100_000

/** Pins that ended, taken out at a time. */
const SWEPT_AT_ONCE = 1_000

/** Part of the pins that is evicted at once where there is no room: to find them takes a write to the disk. */
const EVICTED_PART = 100

const seen = { claim: Bytes32, pubkey: Bytes32, changes: v.exactOptional(v.array(Bytes32)) }
const remembered = { ...seen, code: Text, newestRound: Count, firstRound: Count }
const PinSchema = v.variant('state', [
  v.strictObject({
    state: v.literal('tentative'),
    ...remembered,
    lookRound: Count,
    rival: v.exactOptional(v.strictObject(seen))
  }),
  v.strictObject({ state: v.literal('firm'), ...remembered, firmRound: Count })
])

/** A pin with the whole check code of its claim. */
export type StoredPin = Pin & { readonly code: string }

/**
 * The pins of this daemon, on disk (docs/protocol/rules.md, 11). Values: CBOR. Each has a mark by round: when a
 * tentative one is due for its second look, when a firm one ends. Beyond the limit tentative ones are evicted first,
 * the earliest due first. Writes are late: pins are advice, so a crash may lose those of the last second. All methods
 * throw StoreError, but only `forget` where the disk takes nothing.
 */
export class Pins {
  readonly #store: Store
  readonly #profile: NetworkProfile
  readonly #most: number
  /** Counted once: to count them all for each new one takes milliseconds. */
  #count: number | undefined
  /** Called when a majority other than the recent one makes a name contested: cached answers no longer hold. */
  onDispute: (name: string) => void = () => undefined

  constructor(store: Store, profile: NetworkProfile, most = MAX_PINS) {
    this.#store = store
    this.#profile = profile
    this.#most = most
  }

  /** Whether it still says something: `livePin`. */
  get(name: string): StoredPin | undefined {
    return readOrSetAside(this.#store, keys.pin(name), this.#store.get(keys.pin(name)), (value) =>
      readCbor(PinSchema, value)
    )
  }

  /** By name, after `after` where one is given. Unreadable pins are set aside. */
  *list(after?: string): IterableIterator<[name: string, pin: StoredPin]> {
    for (const [key, value] of this.#store.list(prefixes.pins, after === undefined ? undefined : keys.pin(after))) {
      const pin = readOrSetAside(this.#store, key, value, (bytes) => readCbor(PinSchema, bytes))
      if (pin !== undefined) yield [lastPart(key), pin]
    }
  }

  set(name: string, pin: StoredPin | undefined): void {
    const known = this.get(name)
    if (known === undefined && pin === undefined) return
    const value = pin === undefined ? undefined : encode(pin)
    if (known !== undefined && value !== undefined && equalBytes(encode(known), value)) return
    const operations: StoreOperation[] = known === undefined ? [] : [{ delete: this.#mark(name, known) }]
    if (pin === undefined || value === undefined) {
      operations.push({ delete: keys.pin(name) })
      this.#fewer(1)
    } else {
      if (known === undefined) operations.push(...this.#room())
      operations.push({ put: keys.pin(name), value }, { put: this.#mark(name, pin), value: new Uint8Array(0) })
    }
    this.#store.batchLater(operations)
  }

  /** What the user says is durable when this returns. */
  forget(name: string): void {
    const known = this.get(name)
    if (known === undefined) return
    this.#store.batch([{ delete: this.#mark(name, known) }, { delete: keys.pin(name) }])
    this.#fewer(1)
  }

  /** The tentative pin whose second look is longest due. Forgets those that are too late, as `isLive` says. */
  due({ lapse }: Pick<ProtocolTime, 'lapse'>, isLive: (pin: Pin) => boolean): string | undefined {
    const late: StoreOperation[] = []
    let due: string | undefined
    for (const mark of this.#store.keys(prefixes.pinLooks)) {
      if (roundOf(mark) > lapse || late.length >= SWEPT_AT_ONCE) break
      const name = lastPart(mark)
      const pin = this.get(name)
      const isCurrent = pin !== undefined && this.#mark(name, pin) === mark
      if (isCurrent && isLive(pin)) {
        due = name
        break
      }
      late.push({ delete: mark }, ...(isCurrent ? [{ delete: keys.pin(name) }] : []))
      if (isCurrent) this.#fewer(1)
    }
    if (late.length > 0) this.#store.batchLater(late)
    return due
  }

  sweep({ lapse }: Pick<ProtocolTime, 'lapse'>): void {
    const dead: StoreOperation[] = []
    for (const mark of this.#store.keys(prefixes.pinEnds)) {
      if (roundOf(mark) >= lapse || dead.length >= SWEPT_AT_ONCE) break
      const name = lastPart(mark)
      const pin = this.get(name)
      const isCurrent = pin !== undefined && this.#mark(name, pin) === mark
      dead.push({ delete: mark }, ...(isCurrent ? [{ delete: keys.pin(name) }] : []))
      if (isCurrent) this.#fewer(1)
    }
    if (dead.length > 0) this.#store.batchLater(dead)
  }

  /** What one more pin evicts: none while there is room. */
  #room(): readonly StoreOperation[] {
    this.#count ??= this.#store.count(prefixes.pins)
    this.#count++
    if (this.#count <= this.#most) return []
    const evicted: StoreOperation[] = []
    const wanted = Math.ceil(this.#most / EVICTED_PART)
    for (const prefix of [prefixes.pinLooks, prefixes.pinEnds]) {
      for (const mark of this.#store.keys(prefix)) {
        if (evicted.length >= 2 * wanted) break
        evicted.push({ delete: mark }, { delete: keys.pin(lastPart(mark)) })
      }
    }
    this.#fewer(evicted.length / 2)
    return evicted
  }

  #fewer(count: number): void {
    if (this.#count !== undefined) this.#count -= count
  }

  #mark(name: string, pin: Pin): string {
    return pin.state === 'tentative'
      ? keys.pinLook(pin.lookRound, name)
      : keys.pinEnd(leaseState(pin.newestRound, 0, this.#profile).graceEndRound, name)
  }
}

/** All are in memory, since each look-up reads one: some 2 MB. */
export const MOST_GIVEN = 10_000

const GivenSchema = v.strictObject({ code: Text, round: Count })

export interface GivenCode {
  /** 6 to 26 characters. */
  readonly code: string
  /** When the user gave it; undefined for one of `pins.codes`, which only the configuration changes. */
  readonly round?: number
}

/**
 * The check codes that bare names mean on this machine: those of `pins.codes`, and those that the user gave, on disk
 * when `give` and `forget` return. They end only with the user's word: a code belongs to its claim for good.
 */
export class GivenCodes {
  readonly #store: Store
  readonly #codes = new Map<string, GivenCode>()

  constructor(store: Store, configured: ReadonlyMap<Name, string>) {
    this.#store = store
    for (const [key, value] of store.list(prefixes.pinCodes)) {
      const given = readOrSetAside(store, key, value, readGivenCode)
      if (given !== undefined) this.#codes.set(lastPart(key), given)
    }
    for (const [name, code] of configured) this.#codes.set(name, { code })
  }

  get(name: string): GivenCode | undefined {
    return this.#codes.get(name)
  }

  get count(): number {
    return this.#codes.size
  }

  /** By name, after `after` where one is given. */
  list(after = ''): [name: string, given: GivenCode][] {
    return [...this.#codes].filter(([name]) => name > after).sort(([left], [right]) => (left < right ? -1 : 1))
  }

  /** All or none. Throws StoreError. */
  give(codes: ReadonlyMap<Name, string>, round: number): void {
    this.#store.batch([...codes].map(([name, code]) => ({ put: keys.pinCode(name), value: encode({ code, round }) })))
    for (const [name, code] of codes) this.#codes.set(name, { code, round })
  }

  /** Throws StoreError. */
  forget(name: string): void {
    this.#store.delete(keys.pinCode(name))
    this.#codes.delete(name)
  }
}

/** Throws UnreadableRecord. */
export function readGivenCode(value: Uint8Array): GivenCode & { readonly round: number } {
  return readCbor(GivenSchema, value)
}
