/**
 * Who is closest to a key, and how large the network is by what look-ups find. In a network of up to k others every look-up finds everybody, so that one of
 * them answers all for a while.
 */
import type { PeerId } from '@libp2p/interface'
import { sha256 } from '../protocol/bytes.ts'
import { networkSize } from '../protocol/density.ts'
import { diverse, type DiversityLimits } from '../protocol/diversity.ts'
import type { NetworkProfile } from '../protocol/profile.ts'
import type { Node } from './node.ts'
import type { Prefixes } from './prefixes.ts'
import { closestPeers, nearestKnown, positionOf, tableSize } from './routing.ts'

/** So long the table is taken to hold everybody: whoever joins enters it, and while one of it is not connected it is not believed. */
const EVERYBODY_MS = 10_000

/** Estimates of the network's size that are kept: each is off by a quarter or so, their median by a tenth. */
const MAX_ESTIMATES = 9

export interface LookUps {
  /** The peers closest to H(preimage), nearest first, without ourselves; at most k. Rejects with the signal's reason. */
  closest(preimage: Uint8Array, signal?: AbortSignal): Promise<PeerId[]>
  /** The same by asking the network in any case. */
  anew(preimage: Uint8Array, signal?: AbortSignal): Promise<PeerId[]>
  /** As `anew`, for a random preimage: how close those stand who are found there is noted; in place of all that was noted before, where the network has changed. */
  sample(preimage: Uint8Array, signal?: AbortSignal, hasChanged?: boolean): Promise<void>
  /**
   * Nodes in the network, ourselves counted: those known while they are fewer than k others, else the median of what was found at random keys. Whoever is
   * near ourselves may have chosen his place [a crowd around one node], and the table holds a part of a large network only. Of one prefix at most `answers_per_prefix`
   * count: whoever is asked on the way knows the random key too, and may have ids of his own for every key.
   */
  networkSize(): number
}

/** `now` is monotonic, in milliseconds. */
export function createLookUps(
  node: Node,
  profile: DiversityLimits & Pick<NetworkProfile, 'k'>,
  prefixes: Prefixes,
  now: () => number = () => performance.now()
): LookUps {
  const { k } = profile
  let knowsEverybodyUntilMs = -Infinity
  const estimates: number[] = []

  const look = async (preimage: Uint8Array, signal?: AbortSignal): Promise<PeerId[]> => {
    const { peers, isWhole } = await closestPeers(node, preimage, signal)
    const areKnown = (): boolean => {
      const known = new Set(nearestKnown(node, sha256(preimage)).map(String))
      return peers.every((peer) => known.has(peer.toString()))
    }
    // Only then: kad-dht compares each peer of the table with each other, to give all of them.
    knowsEverybodyUntilMs = isWhole && peers.length < k && areKnown() ? now() + EVERYBODY_MS : -Infinity
    return peers
  }
  const anew = async (preimage: Uint8Array, signal?: AbortSignal): Promise<PeerId[]> => (await look(preimage, signal)).slice(0, k)
  return {
    anew,
    async sample(preimage, signal, hasChanged = false) {
      const found = (await look(preimage, signal)).map((id) => ({ id, peer: id.toString(), prefix: prefixes.of(id) }))
      const counted = diverse(found, profile).slice(0, k)
      if (counted.length === 0) return
      if (hasChanged) estimates.length = 0
      estimates.push(networkSize(sha256(preimage), counted.map(({ id }) => positionOf(id))))
      if (estimates.length > MAX_ESTIMATES) estimates.shift()
    },
    networkSize() {
      const known = tableSize(node)
      const median = estimates.toSorted((left, right) => left - right)[(estimates.length - 1) >> 1]
      return known < k || median === undefined ? known + 1 : median
    },
    async closest(preimage, signal) {
      signal?.throwIfAborted()
      const known = now() < knowsEverybodyUntilMs ? nearestKnown(node, sha256(preimage)) : []
      const isEverybody = known.length > 0 && known.length < k && known.every((peer) => node.getConnections(peer).length > 0)
      return isEverybody ? known : anew(preimage, signal)
    }
  }
}
