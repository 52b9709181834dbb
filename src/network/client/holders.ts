import { isWithin, radius } from '../../protocol/density.ts'
import type { Peer, Peers } from '../peers.ts'
import { positionOf } from '../routing.ts'

/** Those who should hold what belongs at a key, found by look-ups of other keys. Rejects with the signal's reason. */
export async function nearby(peers: Peers, key: Uint8Array, k: number, signal?: AbortSignal): Promise<Peer[]> {
  const { peers: around } = await peers.neighbourhood(key, signal)
  const reach = radius(k, peers.networkSize())
  return around.filter(({ id }) => isWithin(key, positionOf(id), reach))
}

/** Each peer once. */
export function distinct(...lists: readonly (readonly Peer[])[]): Peer[] {
  return [...new Map(lists.flat().map((peer) => [peer.peer, peer])).values()]
}
