/** Names that neighbours list and this node lacks: a newcomer fetches them, so that no one needs to push. */
import { setImmediate } from 'node:timers/promises'
import { forEachConcurrently } from '../../util/concurrency.ts'
import type { Holder } from '../holder/holder.ts'
import type { Neighbour } from '../holder/names/neighbours.ts'
import type { Peer, Peers } from '../peers.ts'
import type { ListedEntry } from '../wire/list.ts'

/**
 * Names that one neighbour may add in a round, some kilobytes of memory each: invented names displace no other peer's.
 */
const MAX_OF_ONE = 500

/** Parallel requests: as many proofs as are verified at once, and some in transit. */
const TAKEN_AT_ONCE = 4

/** Names checked in our own store between turns of the event loop: about 5 ms. */
const LOOKED_UP_AT_A_TIME = 100

/** What neighbours list of the names that are missing here. */
export class MissingNames {
  readonly #listed: Neighbour[] = []
  readonly #byKey = new Map<string, { readonly key: Uint8Array; readonly entries: Map<string, Neighbour['entry']> }>()

  async note(
    from: Peer,
    met: number | undefined,
    listed: ReadonlyMap<string, ListedEntry>,
    isMissing: (key: Uint8Array) => boolean
  ): Promise<void> {
    const { peer, prefix } = from
    this.#listed.push({ peer, prefix, from, ...(met !== undefined && { met }) })
    let added = 0
    let looked = 0
    for (const [id, { key, claim: claimId, state }] of listed) {
      const known = this.#byKey.get(id)
      if (known !== undefined) {
        known.entries.set(peer, { claimId, state })
        continue
      }
      if (added === MAX_OF_ONE) continue
      if (++looked % LOOKED_UP_AT_A_TIME === 0) await setImmediate()
      if (!isMissing(key)) continue
      added++
      this.#byKey.set(id, { key, entries: new Map([[peer, { claimId, state }]]) })
    }
  }

  /** Fetches and enters each name for which enough neighbours list one claim. One that does not list it holds none. */
  async take(holder: Holder, peers: Peers, isStopped: () => boolean): Promise<void> {
    const known = peers.diverse(peers.nearest(peers.ownPosition)).length
    await forEachConcurrently(this.#byKey.values(), TAKEN_AT_ONCE, async ({ key, entries }) => {
      const answers = this.#listed.map((who) => {
        const entry = entries.get(who.peer)
        return entry === undefined ? who : { ...who, entry }
      })
      if (!isStopped()) await holder.reveals.take({ key, answers, known })
    })
  }
}
