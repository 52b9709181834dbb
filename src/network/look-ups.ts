/** Who is closest to a key. In a network of up to k others every look-up finds everybody, so that one of them answers all for a while. */
import type { PeerId } from '@libp2p/interface'
import { sha256 } from '../protocol/bytes.ts'
import type { Node } from './node.ts'
import { closestPeers, nearestKnown } from './routing.ts'

/** So long the table is taken to hold everybody: whoever joins enters it, and while one of it is not connected it is not believed. */
const EVERYBODY_MS = 10_000

export interface LookUps {
  /** The peers closest to H(preimage), nearest first, without ourselves; at most k. Rejects with the signal's reason. */
  closest(preimage: Uint8Array, signal?: AbortSignal): Promise<PeerId[]>
  /** The same by asking the network in any case. */
  anew(preimage: Uint8Array, signal?: AbortSignal): Promise<PeerId[]>
}

/** `now` is monotonic, in milliseconds. */
export function createLookUps(node: Node, k: number, now: () => number = () => performance.now()): LookUps {
  let knowsEverybodyUntilMs = -Infinity

  const anew = async (preimage: Uint8Array, signal?: AbortSignal): Promise<PeerId[]> => {
    const { peers, isWhole } = await closestPeers(node, preimage, k, signal)
    const known = new Set(nearestKnown(node, sha256(preimage)).map(String))
    const isEverybodyKnown = isWhole && peers.length < k && peers.every((peer) => known.has(peer.toString()))
    knowsEverybodyUntilMs = isEverybodyKnown ? now() + EVERYBODY_MS : -Infinity
    return peers
  }
  return {
    anew,
    async closest(preimage, signal) {
      signal?.throwIfAborted()
      const known = now() < knowsEverybodyUntilMs ? nearestKnown(node, sha256(preimage)) : []
      const isEverybody = known.length > 0 && known.length < k && known.every((peer) => node.getConnections(peer).length > 0)
      return isEverybody ? known : anew(preimage, signal)
    }
  }
}
