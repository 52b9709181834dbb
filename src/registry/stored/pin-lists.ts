/** The lists of published pins that this daemon follows, on disk and in memory. */
import { encode } from 'cborg'
import * as v from 'valibot'
import { sha256, toHex, utf8 } from '../../protocol/encoding/bytes.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { meantBy, readPinList, type ListVoice, type Meant, type PinList } from '../../protocol/resolution/pin-list.ts'
import { keys, prefixes } from '../../store/keys.ts'
import { Count, readCbor, readOrSetAside, Text } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'

const FollowedSchema = v.strictObject({
  source: Text,
  /** Multikey of its publisher. */
  key: Text,
  /** The newest list, up to 1 MiB. */
  text: Text,
  fetchedMs: Count,
  /** A list with its serial that differs. */
  other: v.exactOptional(Text),
  /** Why the last fetch brought no list. */
  failure: v.exactOptional(Text),
  /** The lower serial that the source showed last. */
  rolledBackTo: v.exactOptional(Count)
})
export type Followed = v.InferOutput<typeof FollowedSchema>

/** Throws UnreadableRecord. */
export const readFollowed = (value: Uint8Array): Followed => readCbor(FollowedSchema, value)
export const readAgree = (value: Uint8Array): number => readCbor(Count, value)

/** A list that was read, and its text. */
export interface ReadList extends PinList {
  readonly text: string
}

/**
 * The list to keep after a source showed one of its key. A lower serial never replaces a higher one. Two lists with
 * one serial that differ are both kept, and no later one is taken: that publisher lies to somebody.
 */
export function afterFetch(kept: Followed, former: PinList, shown: ReadList, fetchedMs: number): Followed {
  const { source, key, text, other } = kept
  const base = { source, key, text, fetchedMs, ...(other !== undefined && { other }) }
  if (other !== undefined) return base
  if (shown.serial < former.serial) return { ...base, rolledBackTo: shown.serial }
  if (shown.serial > former.serial) return { ...base, text: shown.text }
  return shown.text === text ? base : { ...base, other: shown.text }
}

/** All methods throw StoreError. */
export class PinLists {
  readonly #store: Store
  readonly #profile: NetworkProfile
  readonly #followed = new Map<string, Followed>()
  readonly #read = new Map<string, PinList>()
  #voices: readonly ListVoice[] = []
  #agree: number | undefined

  constructor(store: Store, profile: NetworkProfile) {
    this.#store = store
    this.#profile = profile
    for (const [key, value] of store.list(prefixes.pinLists))
      readOrSetAside(store, key, value, (bytes) => this.#keep(readFollowed(bytes)))
    this.#agree = readOrSetAside(store, keys.pinListsAgree(), store.get(keys.pinListsAgree()), readAgree)
    this.#speak()
  }

  list(): Followed[] {
    return [...this.#followed.values()]
  }

  get(source: string): Followed | undefined {
    return this.#followed.get(source)
  }

  /** The text of a followed list, read. */
  read(source: string): PinList {
    return this.#read.get(source)!
  }

  /** How many publishers must agree: as the user said, else more than half. */
  get agree(): number {
    return this.#agree ?? Math.floor(new Set(this.list().map(({ key }) => key)).size / 2) + 1
  }

  setAgree(agree: number): void {
    this.#store.batch([{ put: keys.pinListsAgree(), value: encode(agree) }])
    this.#agree = agree
  }

  meant(name: string): Meant {
    return meantBy(this.#voices, name, this.agree)
  }

  set(followed: Followed): void {
    this.#keep(followed)
    // Another source of the same key may show another list of that serial.
    const { serial } = this.read(followed.source)
    const twin = this.list().find(
      ({ source, key, text }) => key === followed.key && text !== followed.text && this.read(source).serial === serial
    )
    const kept = twin === undefined ? followed : { other: twin.text, ...followed }
    this.#store.batch([{ put: keyOf(kept.source), value: encode(kept) }])
    this.#keep(kept)
    this.#speak()
  }

  forget(source: string): void {
    this.#store.delete(keyOf(source))
    this.#followed.delete(source)
    this.#speak()
  }

  #keep(followed: Followed): void {
    this.#read.set(followed.source, readPinList(followed.text, this.#profile, Infinity))
    this.#followed.set(followed.source, followed)
  }

  /** A key that signed two lists with one serial has no voice. */
  #speak(): void {
    const lying = new Set(this.list().flatMap(({ key, other }) => (other === undefined ? [] : [key])))
    this.#voices = this.list()
      .filter(({ key }) => !lying.has(key))
      .map(({ source, key }) => ({ source, key, pins: new Map(this.read(source).pins.map((pin) => [pin.name, pin])) }))
  }
}

/** Sources have slashes. */
function keyOf(source: string): string {
  return keys.pinList(toHex(sha256(utf8(source))))
}
