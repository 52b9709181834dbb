/**
 * Since when peers are known here: a witness of a claim is talked over by none that came after it (docs/protocol/rules.md, 10).
 */
import * as v from 'valibot'
import { keys } from '../../store/keys.ts'
import { readOrSetAside } from '../../store/read-or-set-aside.ts'
import { Count, readJson, Text } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'

/** Peers remembered, 150 bytes each in memory and 70 on disk. */
const MAX_REMEMBERED = 8_192

const Met = v.array(v.tuple([Text, Count]))

/**
 * The round in which each peer entered the routing table first; on disk, so that a restart makes no stranger of those
 * known. Value: a JSON array of [peer id, round].
 */
export class Acquaintances {
  readonly #store: Store
  readonly #now: () => number
  readonly #met: Map<string, number>
  #latest: string | undefined
  #isChanged = false

  /** `now`: `ProtocolTime.now`. */
  constructor(store: Store, now: () => number) {
    this.#store = store
    this.#now = now
    this.#met = new Map(
      readOrSetAside(store, keys.acquaintances(), store.get(keys.acquaintances()), (json) => readJson(Met, json)) ?? []
    )
  }

  /** Undefined for a peer that was never known, or is forgotten. */
  met(peer: string): number | undefined {
    return this.#met.get(peer)
  }

  /**
   * A peer has entered the routing table. Where too many are remembered it takes the place of the one that came last (BoundedMap drops the first):
   * many new ids put out nobody who was there before.
   */
  note(peer: string): void {
    if (this.#met.has(peer)) return
    if (this.#met.size >= MAX_REMEMBERED) this.#met.delete(this.#latest ?? [...this.#met.keys()].at(-1)!)
    this.#met.set(peer, this.#now())
    this.#latest = peer
    this.#isChanged = true
  }

  /** Writes down who has come since the last time. Throws StoreError. */
  keep(): void {
    if (!this.#isChanged) return
    this.#store.put(keys.acquaintances(), new TextEncoder().encode(JSON.stringify([...this.#met])))
    this.#isChanged = false
  }
}
