/** The peers as a person may see them: where they lie in the key space, and where they connect from. */
import { peerIdFromString } from '@libp2p/peer-id'
import { distance } from '../../protocol/neighbourhood/key-space.ts'
import type { Node } from '../libp2p.ts'
import { positionOf } from '../position.ts'
import type { KnownPeer } from '../types.ts'
import type { Prefixes } from './prefixes.ts'

/** The peers of the routing table and all connected ones, nearest to this node first. Makes no requests. */
export function listPeers(node: Node, prefixes: Pick<Prefixes, 'known'>): KnownPeer[] {
  const own = positionOf(node.peerId)
  const inTable = new Map(node.services.table.nearest(own).map(({ peer, id }) => [peer, id]))
  const all = new Map([...inTable, ...node.getPeers().map((id) => [id.toString(), id] as const)])
  return [...all]
    .map(([peer, id]): KnownPeer => {
      const [connection] = node.getConnections(id)
      return {
        peer,
        prefix: prefixes.known(id) ?? null,
        distance: distance(own, positionOf(id)),
        isInTable: inTable.has(peer),
        connection:
          connection === undefined ? null : { direction: connection.direction, sinceMs: connection.timeline.open }
      }
    })
    .sort((left, right) => left.distance - right.distance)
}

/** The distance of a peer's position from a key, as a share of the key space. */
export function distanceOf(peer: string, key: Uint8Array): number {
  return distance(key, positionOf(peerIdFromString(peer)))
}
