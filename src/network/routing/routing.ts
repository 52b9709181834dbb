import type { PeerId, PeerUpdate } from '@libp2p/interface'
import type { KadDHT } from '@libp2p/kad-dht'
import { distance } from '../../protocol/neighbourhood/density.ts'
import { positionOf } from '../position.ts'
import type { Bucket } from '../kad/near-table.ts'
import type { Node } from '../libp2p.ts'

/** The class has the routing table; kad-dht's interface omits it. */
interface RoutingTable {
  readonly size: number
  addEventListener(type: 'peer:add', listener: (event: CustomEvent<PeerId>) => void): void
  removeEventListener(type: 'peer:add', listener: (event: CustomEvent<PeerId>) => void): void
  remove(peer: PeerId): Promise<void>
  queueRoutingTableUpdate(peer: PeerId): void
  readonly kb: {
    readonly root: Bucket
    toIterable(): Iterable<{ readonly peerId: PeerId; readonly kadId: Uint8Array }>
    get(kadId: Uint8Array): unknown
  }
}

function tableOf(node: Node): RoutingTable {
  return (node.services.dht as KadDHT & { routingTable: RoutingTable }).routingTable
}

/** Peers that the table holds. With zero, a look-up finds no peer. */
export function tableSize(node: Node): number {
  return tableOf(node).size
}

function holdsAny(bucket: Bucket): boolean {
  return 'peers' in bucket ? bucket.peers.length > 0 : holdsAny(bucket.left) || holdsAny(bucket.right)
}

export function isTableEmpty(node: Node): boolean {
  return !holdsAny(tableOf(node).kb.root)
}

export function onPeerKnown(node: Node, listener: (peer: PeerId) => void): () => void {
  const table = tableOf(node)
  const onAdd = ({ detail }: CustomEvent<PeerId>): void => listener(detail)
  table.addEventListener('peer:add', onAdd)
  return () => {
    table.removeEventListener('peer:add', onAdd)
  }
}

/**
 * Offers the table a peer that answered a look-up. It enters after a ping, if there is room: the table may have missed
 * it at connection.
 */
export function addAnswering(node: Node, peer: PeerId): void {
  if (!isKnown(node, peer)) tableOf(node).queueRoutingTableUpdate(peer)
}

/** Removes an unreachable peer from the table: kad-dht never drops the dead. It returns when met again. */
export async function dropUnreachable(node: Node, peer: PeerId): Promise<void> {
  if (node.getConnections(peer).length === 0) await tableOf(node).remove(peer)
}

/** Removes peers that switched to light mode from the table; returns the function that ends it. */
export function dropLightPeers(node: Node, dhtProtocol: string): () => void {
  const onUpdate = ({ detail: { peer } }: CustomEvent<PeerUpdate>): void => {
    if (!peer.protocols.includes(dhtProtocol)) void tableOf(node).remove(peer.id)
  }
  node.addEventListener('peer:update', onUpdate)
  return () => {
    node.removeEventListener('peer:update', onUpdate)
  }
}

/**
 * Forgets disconnected peers outside the table: libp2p keeps every peer ever connected. Returns the function that ends
 * it.
 */
export function forgetStrangers(node: Node): () => void {
  const onDisconnect = ({ detail: peer }: CustomEvent<PeerId>): void => {
    if (!isKnown(node, peer)) void node.peerStore.delete(peer)
  }
  node.addEventListener('peer:disconnect', onDisconnect)
  return () => {
    node.removeEventListener('peer:disconnect', onDisconnect)
  }
}

/**
 * The peers of the table, nearest to a key first, without requests. Some 2,000 at most (near-table.ts): a millisecond.
 */
export function nearestKnown(node: Node, key: Uint8Array): PeerId[] {
  return Array.from(tableOf(node).kb.toIterable(), ({ peerId, kadId }) => ({ peerId, away: distance(key, kadId) }))
    .filter(({ peerId }) => !peerId.equals(node.peerId))
    .sort((left, right) => left.away - right.away)
    .map(({ peerId }) => peerId)
}

export function* knownNearer(node: Node, key: Uint8Array, away: number): Generator<PeerId> {
  for (const { peerId, kadId } of tableOf(node).kb.toIterable()) {
    if (distance(key, kadId) < away && !peerId.equals(node.peerId)) yield peerId
  }
}

export function isKnown(node: Node, peer: PeerId): boolean {
  return tableOf(node).kb.get(positionOf(peer)) !== undefined
}
