/** Names that neighbours list and this node lacks: a newcomer takes them, so that nobody has to push them at it. */
import { setImmediate } from 'node:timers/promises'
import { forEachConcurrently } from '../../util/for-each-concurrently.ts'
import type { Holder } from '../holder/holder.ts'
import type { Neighbour } from '../holder/names/neighbours.ts'
import type { Peer, Peers } from '../peers.ts'
import type { ListedEntry } from '../wire/list.ts'

/**
 * Names that one neighbour may bring up in a round, each of some kilobytes of memory until it ends: what a liar makes
 * up takes no other's place.
 */
const MAX_OF_ONE = 500

/** Names asked for at the same time: as many proofs as are verified at once, and some on the way. */
const TAKEN_AT_ONCE = 4

/** Names looked up in our own store before the event loop has its turn: about 5 ms. */
const LOOKED_UP_AT_A_TIME = 100

/** By K in hex: what those say of a name who list it. */
export type MissingNames = Map<string, { readonly key: Uint8Array; readonly answers: Neighbour[] }>

/** Notes what a neighbour lists. */
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

/** Asks for the record of each name for which enough neighbours list one claim, and enters it. */
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
