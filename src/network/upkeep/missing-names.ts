/** Names that neighbours list and this node lacks: a newcomer fetches them, so that no one needs to push. */
import { setImmediate } from 'node:timers/promises'
import { forEachConcurrently } from '../../util/for-each-concurrently.ts'
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

/** By K in hex: the answers of the neighbours that list a name. */
export type MissingNames = Map<string, { readonly key: Uint8Array; readonly answers: Neighbour[] }>

export async function noteMissing(
  missing: MissingNames,
  from: Peer,
  listed: ReadonlyMap<string, ListedEntry>,
  isMissing: (key: Uint8Array) => boolean
): Promise<void> {
  const { peer, prefix } = from
  let added = 0
  let looked = 0
  for (const [id, { key, claim: claimId, state }] of listed) {
    const answer = { peer, prefix, from, entry: { claimId, state } }
    const known = missing.get(id)
    if (known !== undefined) {
      known.answers.push(answer)
      continue
    }
    if (added === MAX_OF_ONE) continue
    if (++looked % LOOKED_UP_AT_A_TIME === 0) await setImmediate()
    if (!isMissing(key)) continue
    added++
    missing.set(id, { key, answers: [answer] })
  }
}

/** Fetches and enters each name for which enough neighbours list one claim. */
export async function takeMissing(
  missing: MissingNames,
  holder: Holder,
  peers: Peers,
  isStopped: () => boolean
): Promise<void> {
  const known = peers.diverse(peers.nearest(peers.ownPosition)).length
  await forEachConcurrently(missing.values(), TAKEN_AT_ONCE, async (each) => {
    if (!isStopped()) await holder.reveals.take({ ...each, known })
  })
}
