/**
 * Who is nearest to a key, and how large the network is by what look-ups find. In a network of up to k others every
 * look-up finds everybody, so that one of them answers all for a while.
 */
import type { PeerId } from '@libp2p/interface'
import { networkSize } from '../../protocol/neighbourhood/density.ts'
import { diverse, diverseFirst, type DiversityLimits, type Origin } from '../../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Finder } from './finder.ts'
import type { Node } from '../libp2p.ts'
import { originOf, type Prefixes } from './prefixes.ts'
import { nearestKnown, tableSize } from './routing.ts'
import { positionOf } from '../position.ts'

/**
 * So long the table is taken to hold everybody: a peer that joins enters it, and while one of it is not connected it is
 * not believed.
 */
const EVERYBODY_MS = 10_000

/** Estimates of the network's size that are kept: each is off by a quarter or so, their median by a tenth. */
const MAX_ESTIMATES = 9

/**
 * The density around ourselves is computed again after so long, or when the table has another size: it goes through the
 * whole table, and is asked for with each record that is offered.
 */
const DENSITY_MS = 10_000

/**
 * What is found at random keys counts up to so many times the size that the density around ourselves tells: each is off
 * by a quarter, or by a half in odd prefixes.
 */
const MOST_ABOVE_OWN_DENSITY = 4

export interface LookUps {
  /**
   * The peers nearest to a key, diverse ones first and nearest first, without ourselves; at most k. Rejects with the
   * signal's reason.
   */
  closest(key: Uint8Array, signal?: AbortSignal): Promise<PeerId[]>
  /** The same by asking the network in any case. */
  anew(key: Uint8Array, signal?: AbortSignal): Promise<PeerId[]>
  /**
   * As `anew`, for a random key: how close those are that are found there is noted; in place of all that was noted
   * before, where the network has changed.
   */
  sample(key: Uint8Array, signal?: AbortSignal, hasChanged?: boolean): Promise<void>
  /**
   * Nodes in the network, ourselves counted: those known while they are fewer than k others, else the median of what
   * was found at random keys, bounded by the density around ourselves. A peer near ourselves may have chosen its place
   * [a crowd around one node], and one that is asked on the way knows the random key and may have ids near every key
   * [ids chosen for each key that is looked up]: to seem large a network has to seem so at both. Only diverse peers
   * count at either.
   */
  networkSize(): number
}

/** `now` is monotonic, in milliseconds. */
export function createLookUps(
  node: Node,
  finder: Pick<Finder, 'find'>,
  profile: DiversityLimits & Pick<NetworkProfile, 'k'>,
  prefixes: Prefixes,
  now: () => number = () => performance.now()
): LookUps {
  const { k } = profile
  let knowsEverybodyUntilMs = -Infinity
  const estimates: number[] = []
  let around: { readonly size: number; readonly known: number; readonly atMs: number } | undefined

  const withPrefixes = (ids: readonly PeerId[]): (Origin & { readonly id: PeerId })[] =>
    ids.map((id) => originOf(id, prefixes))
  const sizeBy = (key: Uint8Array, ids: readonly PeerId[]): number => {
    const counted = diverse(withPrefixes(ids), profile).slice(0, k)
    return networkSize(
      key,
      counted.map(({ id }) => positionOf(id))
    )
  }
  const sizeAroundOurselves = (known: number): number => {
    if (around === undefined || around.known !== known || now() - around.atMs > DENSITY_MS) {
      const own = positionOf(node.peerId)
      around = { size: sizeBy(own, nearestKnown(node, own)), known, atMs: now() }
    }
    return around.size
  }
  const anew = async (key: Uint8Array, signal?: AbortSignal): Promise<PeerId[]> => {
    const { peers, isWhole } = await finder.find(key, signal)
    const areKnown = (): boolean => {
      const known = new Set(nearestKnown(node, key).map(String))
      return peers.every((peer) => known.has(peer.toString()))
    }
    knowsEverybodyUntilMs = isWhole && peers.length < k && areKnown() ? now() + EVERYBODY_MS : -Infinity
    return peers
  }
  return {
    anew,
    async sample(key, signal, hasChanged = false) {
      const found = await anew(key, signal)
      if (found.length === 0) return
      if (hasChanged) estimates.length = 0
      estimates.push(sizeBy(key, found))
      if (estimates.length > MAX_ESTIMATES) estimates.shift()
    },
    networkSize() {
      const known = tableSize(node)
      const median = estimates.toSorted((left, right) => left - right)[(estimates.length - 1) >> 1]
      if (known < k || median === undefined) return known + 1
      return Math.min(median, MOST_ABOVE_OWN_DENSITY * sizeAroundOurselves(known))
    },
    async closest(key, signal) {
      signal?.throwIfAborted()
      const known = now() < knowsEverybodyUntilMs ? nearestKnown(node, key) : []
      const isEverybody =
        known.length > 0 && known.length < k && known.every((peer) => node.getConnections(peer).length > 0)
      return isEverybody ? diverseFirst(withPrefixes(known), k, profile).map(({ id }) => id) : anew(key, signal)
    }
  }
}
