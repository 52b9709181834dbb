import * as v from 'valibot'
import { encode } from 'cborg'
import { toHex } from '../../protocol/encoding/bytes.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { changesIn, decodeReveal, encodeReveal, firstLink, type Reveal } from '../../protocol/claim/reveal.ts'
import { payloadSerial } from '../../protocol/zone/zone.ts'
import { keys, lastPart, prefixes } from '../../store/keys.ts'
import {
  Bytes,
  Bytes32,
  Count,
  readCbor,
  readOrSetAside,
  UnreadableRecord,
  readJson
} from '../../store/stored-shapes.ts'
import type { Store, StoreOperation } from '../../store/types.ts'

/**
 * The network's word on an own name: `changing` while a change of its keys waits that one of them signed, and not
 * this daemon; `lost` once the peers have settled on another claim, `changed` once the keys
 * of our claim were changed to another owner's, `sold` once most peers call that change final.
 */
export type Ownership = 'held' | 'changing' | 'contested' | 'lost' | 'changed' | 'sold'

/** Another owner has it, as far as the peers say. */
export function isGone({ ownership }: Pick<OwnedName, 'ownership'>): boolean {
  return ownership === 'lost' || isGivenAway({ ownership })
}

/** The keys of its claim are another owner's; an offer may bring them back. */
export function isGivenAway({ ownership }: Pick<OwnedName, 'ownership'>): boolean {
  return ownership === 'changed' || ownership === 'sold'
}

/** The key that a sold name has now, 32 bytes, and since when that is final, in milliseconds since the epoch. */
export interface Sold {
  readonly to: Uint8Array
  readonly atMs: number
}

/** To whom a name went, and since when for good. */
export function soldText({ to, atMs }: Sold): string {
  return `Its keys were changed to ${toHex(to)}, which is final since ${new Date(atMs).toISOString()}: another owner has it`
}

/** The owner's answer to keys that one secret alone has signed. */
export function objectText(name: string): string {
  return (
    'Somebody with its change words, or with its seed where it names none, has signed them. They count once they are ' +
    `final (chronym transfer status ${name}). If that was not you, sign others with both keys: chronym key rotate ${name}`
  )
}

export function acknowledgeText(name: string): string {
  return `Take it off the list of this daemon: chronym release ${name}`
}

/** Whether most peers hold it as ours, whatever waits. */
export function isHeldAsOurs({ ownership }: Pick<OwnedName, 'ownership'>): boolean {
  return ownership === 'held' || ownership === 'changing'
}

export interface OwnedName {
  readonly name: Name
  /** p of the first link: with it the claim is known. */
  readonly firstRound: number
  /** The newest record; durable before it is sent. */
  readonly reveal: Reveal
  readonly serial: number
  /** Serial of the last record that more than half of its peers were seen to hold. */
  readonly publishedSerial: number
  readonly ownership: Ownership
  /**
   * The newest record of our key that this daemon did not make, and when it was seen, in milliseconds since the epoch.
   */
  readonly foreign?: Foreign
  readonly released?: true
  /** Where it is `sold`. */
  readonly sold?: Sold
  /** A change of its keys with one signature, made here. Until it is final `reveal` is served and published. */
  readonly notice?: Reveal
}

interface Foreign {
  readonly serial: number
  readonly seenMs: number
}

/** Kept beside the record when another fact changes. */
type Kept = Pick<OwnedName, 'foreign' | 'released' | 'sold' | 'notice'>

const Stored = v.object({
  reveal: Bytes,
  publishedSerial: Count,
  standing: v.optional(v.picklist(['changing', 'contested', 'lost', 'changed'])),
  foreign: v.optional(v.object({ serial: Count, seenMs: Count })),
  released: v.optional(v.literal(true)),
  sold: v.optional(v.object({ to: Bytes32, atMs: Count })),
  notice: v.optional(Bytes)
})

/** Released before more than half of its peers were seen to hold it, so it may be registered again. */
export function isCancelled({ released, publishedSerial }: OwnedName): boolean {
  return released === true && publishedSerial === 0
}

/** The names of this daemon, on disk. Values: CBOR {reveal, publishedSerial, standing?, foreign?, released?, sold?, notice?}. */
export class OwnedNames {
  readonly #store: Store
  readonly #profile: NetworkProfile

  constructor(store: Store, profile: NetworkProfile) {
    this.#store = store
    this.#profile = profile
  }

  get(name: string): OwnedName | undefined {
    return this.#read(keys.ownedName(name), this.#store.get(keys.ownedName(name)))
  }

  list(): OwnedName[] {
    return [...this.#store.list(prefixes.ownedNames)].flatMap(([key, value]) => this.#read(key, value) ?? [])
  }

  /**
   * `published`: more than half of its peers hold this very record. An older link, or one before a change of keys, never
   * replaces a newer one. A notice stays while the keys do. Throws StoreError.
   */
  save(reveal: Reveal, { published }: { published: boolean }): void {
    const serial = payloadSerial(reveal.payload, this.#profile)
    const former = this.get(reveal.name)
    if (former !== undefined && isOlder(reveal, former.reveal)) return
    this.#put(
      reveal,
      published ? serial : (former?.publishedSerial ?? 0),
      published ? 'held' : (former?.ownership ?? 'held'),
      former && (changesIn(reveal) === changesIn(former.reveal) ? former : { ...former, notice: undefined })
    )
  }

  /**
   * Another record of our key takes the place of the former one, in one step with `also`: a crash leaves one of the two.
   * `foreign`: this daemon did not make it. `released` is what the user wants of this claim. Throws StoreError.
   */
  replace(
    reveal: Reveal,
    { foreign, released }: Pick<OwnedName, 'foreign' | 'released'>,
    also: readonly StoreOperation[] = []
  ): void {
    const serial = payloadSerial(reveal.payload, this.#profile)
    this.#store.batch([
      this.#saving(reveal, serial, 'held', { ...(foreign && { foreign }), ...(released && { released }) }),
      ...also
    ])
  }

  /** A claim that was cancelled while it was sent: peers may hold it, and it is to lapse. Throws StoreError. */
  saveCancelled(reveal: Reveal): void {
    this.#put(reveal, 0, 'held', { released: true })
  }

  /**
   * More than half of the peers hold a zone of this serial; the current record may be newer by now. Throws StoreError.
   */
  setPublished(name: string, serial: number): void {
    const record = this.get(name)
    if (record !== undefined) this.#put(record.reveal, Math.max(record.publishedSerial, serial), 'held', record)
  }

  /** Throws StoreError. */
  setOwnership(name: string, ownership: Exclude<Ownership, 'sold'>): void {
    const record = this.get(name)
    if (record !== undefined) this.#put(record.reveal, record.publishedSerial, ownership, record)
  }

  /** Another owner has it for good. Throws StoreError. */
  setSold(name: string, sold: Sold): void {
    const record = this.get(name)
    if (record !== undefined)
      this.#put(record.reveal, record.publishedSerial, 'sold', { ...record, sold, notice: undefined })
  }

  /** A change with one signature beside the record; undefined: no longer. Throws StoreError. */
  setNotice(name: string, notice: Reveal | undefined): void {
    const record = this.get(name)
    if (record !== undefined) this.#put(record.reveal, record.publishedSerial, record.ownership, { ...record, notice })
  }

  /** The network showed a record of this serial that this daemon did not make. Throws StoreError. */
  noteForeign(name: string, serial: number, seenMs: number): void {
    const record = this.get(name)
    if (record !== undefined)
      this.#put(record.reveal, record.publishedSerial, record.ownership, { ...record, foreign: { serial, seenMs } })
  }

  /** Throws StoreError. */
  setReleased(name: string, isReleased: boolean): void {
    const record = this.get(name)
    if (record !== undefined) this.#store.batch([this.settingReleased(record, isReleased)])
  }

  /** What `setReleased` writes, for one step with other writes. */
  settingReleased(
    { reveal, publishedSerial, ownership, foreign, sold, notice }: OwnedName,
    isReleased: boolean
  ): StoreOperation {
    return this.#saving(reveal, publishedSerial, ownership, {
      ...(foreign && { foreign }),
      ...(sold && { sold }),
      ...(notice && { notice }),
      ...(isReleased && { released: true })
    })
  }

  /** What forgets a name, for one step with other writes. */
  removing(name: string): StoreOperation {
    return { delete: keys.ownedName(name) }
  }

  #put(
    reveal: Reveal,
    publishedSerial: number,
    ownership: Ownership,
    also?: { [K in keyof Kept]?: Kept[K] | undefined }
  ): void {
    this.#store.batch([this.#saving(reveal, publishedSerial, ownership, also)])
  }

  #saving(
    reveal: Reveal,
    publishedSerial: number,
    ownership: Ownership,
    { foreign, released, sold, notice }: { [K in keyof Kept]?: Kept[K] | undefined } = {}
  ): StoreOperation {
    const record = {
      reveal: encodeReveal(reveal),
      publishedSerial,
      ...(ownership === 'held' ? {} : { standing: ownership === 'sold' ? 'changed' : ownership }),
      ...(foreign && { foreign: { ...foreign } }),
      ...(released && { released }),
      ...(ownership === 'sold' && sold && { sold: { ...sold } }),
      ...(notice && { notice: encodeReveal(notice) })
    }
    return { put: keys.ownedName(reveal.name), value: encode(record) }
  }

  #read(key: string, value: Uint8Array | undefined): OwnedName | undefined {
    return readOrSetAside(this.#store, key, value, (bytes) => this.#decode(lastPart(key), bytes))
  }

  #decode(name: string, value: Uint8Array): OwnedName {
    const {
      reveal: encoded,
      publishedSerial,
      standing: ownership = 'held',
      foreign,
      released,
      sold,
      notice
    } = readCbor(Stored, value)
    const reveal = decodeReveal(encoded)
    if (reveal.name !== name) throw new UnreadableRecord(`it is of ${reveal.name}`)
    const serial = payloadSerial(reveal.payload, this.#profile)
    return {
      name: reveal.name as Name,
      firstRound: firstLink(reveal).p,
      reveal,
      serial,
      publishedSerial,
      ownership: sold === undefined ? ownership : 'sold',
      ...(foreign && { foreign }),
      ...(released && { released }),
      ...(sold && { sold }),
      ...(notice && { notice: decodeReveal(notice) })
    }
  }
}

function isOlder(reveal: Reveal, than: Reveal): boolean {
  return reveal.drand_pulse < than.drand_pulse || changesIn(reveal) < changesIn(than)
}

const StoredAdoption = v.object({ sinceMs: Count, isGuess: v.boolean(), isOffered: v.optional(v.literal(true)) })
export type Adoption = v.InferOutput<typeof StoredAdoption>

/**
 * Value of `wanted/<name or did>`: JSON {sinceMs, isGuess, isOffered?}. `isGuess`: nobody named it. The seed may have
 * made this identity; or the name is here already, and the list of names that it carries is not read yet. `isOffered`:
 * this daemon has offered to take the name over.
 */
export function encodeAdoption(adoption: Adoption): Uint8Array {
  return Buffer.from(JSON.stringify(adoption))
}

/** Throws UnreadableRecord. */
export function decodeAdoption(value: Uint8Array): Adoption {
  return readJson(StoredAdoption, value)
}

export function* storedAdoptions(store: Store): IterableIterator<[id: string, adoption: Adoption]> {
  for (const [key, value] of store.list(prefixes.wanted)) {
    const adoption = readOrSetAside(store, key, value, decodeAdoption)
    if (adoption !== undefined) yield [lastPart(key), adoption]
  }
}
