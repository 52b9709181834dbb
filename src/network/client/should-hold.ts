import { sha256 } from '../../protocol/encoding/bytes.ts'
import { distance, isWithin, radius } from '../../protocol/neighbourhood/density.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile/profile.ts'
import { recordKeyPreimage, type RecordKind } from '../../protocol/claim/record-key.ts'
import type { Peer, Peers } from '../peers.ts'
import { positionOf } from '../position.ts'

/**
 * The k peers that should hold a record, diverse ones first. In networks of more than k peers, look-ups of other keys
 * nearby join in: ids chosen around K cannot foresee them [a look-up led astray]. Rejects with the signal's reason.
 */
export async function shouldHold(
  peers: Peers,
  kind: RecordKind,
  id: string,
  profile: NetworkProfile,
  signal?: AbortSignal
): Promise<Peer[]> {
  const preimage = recordKeyPreimage(kind, id, profileHash(profile))
  const key = sha256(preimage)
  const closest = peers.closest(preimage, signal)
  if ((await closest).length < profile.k) return closest
  const found = distinct(...(await Promise.all([closest, nearby(peers, key, profile.k, signal)])))
  return peers.diverseFirst(
    found.toSorted((left, right) => distance(key, positionOf(left.id)) - distance(key, positionOf(right.id))),
    profile.k
  )
}

/**
 * The holders among the k nearest to a key, found by look-ups of other keys; diverse ones first. Rejects with the
 * signal's reason.
 */
export async function nearby(peers: Peers, key: Uint8Array, k: number, signal?: AbortSignal): Promise<Peer[]> {
  const { peers: around } = await peers.neighbourhood(key, signal)
  const reach = radius(k, peers.networkSize())
  const inReach = around
    .map((peer) => ({ peer, away: distance(key, positionOf(peer.id)) }))
    .filter(({ peer }) => isWithin(key, positionOf(peer.id), reach))
  return peers.diverseFirst(
    inReach.sort((left, right) => left.away - right.away).map(({ peer }) => peer),
    k
  )
}

export function distinct(...lists: readonly (readonly Peer[])[]): Peer[] {
  return [...new Map(lists.flat().map((peer) => [peer.peer, peer])).values()]
}
