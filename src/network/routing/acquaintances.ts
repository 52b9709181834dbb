/**
 * Since when peers are known here: later arrivals cannot outvote the witness of a claim (docs/protocol/rules.md, 10).
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
 * The round in which each peer first entered the routing table. On disk, so that a restart keeps acquaintances. Value:
 * a JSON array of [peer id, round].
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

  met(peer: string): number | undefined {
    return this.#met.get(peer)
  }

  /**
   * Notes a peer that entered the routing table. When full, drops the latest arrival (BoundedMap drops the first):
   * floods of new ids displace no earlier peer.
   */
  note(peer: string): void {
    if (this.#met.has(peer)) return
    if (this.#met.size >= MAX_REMEMBERED) this.#met.delete(this.#latest ?? [...this.#met.keys()].at(-1)!)
    this.#met.set(peer, this.#now())
    this.#latest = peer
    this.#isChanged = true
  }

  /** Writes changes since the last time. Throws StoreError. */
  keep(): void {
    if (!this.#isChanged) return
    this.#store.put(keys.acquaintances(), new TextEncoder().encode(JSON.stringify([...this.#met])))
    this.#isChanged = false
  }
}
