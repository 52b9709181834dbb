/** Who is near a key: kad-dht's routing table and look-ups. */
import type { PeerId, PeerUpdate } from '@libp2p/interface'
import type { KadDHT } from '@libp2p/kad-dht'
import { sha256 } from '../protocol/bytes.ts'
import { distance } from '../protocol/density.ts'
import type { Node } from './node.ts'

/** A look-up that has not ended by then gives what it has found. */
const LOOKUP_TIMEOUT_MS = 10_000

/** Most peers that any caller takes from the table. */
const WHOLE_TABLE = 10_000

/** The routing table, which the class has and the interface of kad-dht does not show. */
interface RoutingTable {
  readonly size: number
  addEventListener(type: 'peer:add', listener: () => void): void
  removeEventListener(type: 'peer:add', listener: () => void): void
  remove(peer: PeerId): Promise<void>
  closestPeers(kadId: Uint8Array, options: { count: number }): PeerId[]
}

function tableOf(node: Node): RoutingTable {
  return (node.services.dht as KadDHT & { routingTable: RoutingTable }).routingTable
}

/** Where a peer stands in the key space: kad-dht's id of it, 32 bytes. */
export function positionOf(peer: PeerId): Uint8Array {
  return sha256(peer.toMultihash().bytes)
}

/** Peers that the table holds. Zero means: a look-up would find nobody. */
export function tableSize(node: Node): number {
  return tableOf(node).size
}

/** Calls `listener` whenever a peer enters the table; returns the function that ends it. */
export function onPeerKnown(node: Node, listener: () => void): () => void {
  const table = tableOf(node)
  table.addEventListener('peer:add', listener)
  return () => {
    table.removeEventListener('peer:add', listener)
  }
}

/** Takes a peer out of the table that cannot be reached: kad-dht keeps the dead for ever. It comes back when it is met again. */
export async function dropUnreachable(node: Node, peer: PeerId): Promise<void> {
  if (node.getConnections(peer).length === 0) await tableOf(node).remove(peer)
}

/** Takes those out of the table that answer look-ups no more, having turned light; returns the function that ends it. */
export function dropThoseThatTurnLight(node: Node, dhtProtocol: string): () => void {
  const onUpdate = ({ detail: { peer } }: CustomEvent<PeerUpdate>): void => {
    if (!peer.protocols.includes(dhtProtocol)) void tableOf(node).remove(peer.id)
  }
  node.addEventListener('peer:update', onUpdate)
  return () => {
    node.removeEventListener('peer:update', onUpdate)
  }
}

/** Forgets peers that are gone and are in no table: libp2p keeps what it knows of everybody that was ever connected. Returns the function that ends it. */
export function forgetStrangers(node: Node): () => void {
  const onDisconnect = ({ detail: peer }: CustomEvent<PeerId>): void => {
    if (nearestKnown(node, positionOf(peer), 1)[0]?.equals(peer) !== true) void node.peerStore.delete(peer)
  }
  node.addEventListener('peer:disconnect', onDisconnect)
  return () => {
    node.removeEventListener('peer:disconnect', onDisconnect)
  }
}

/** The peers of the table nearest to a key, without asking anybody. */
export function nearestKnown(node: Node, key: Uint8Array, count = WHOLE_TABLE): PeerId[] {
  return tableOf(node)
    .closestPeers(key, { count })
    .filter((peer) => !peer.equals(node.peerId))
}

export interface Found {
  /** All that answered, those on the way too; nearest first, without ourselves. */
  readonly peers: PeerId[]
  /** The look-up came to its end, so nobody is known who is nearer. */
  readonly isWhole: boolean
}

/** Looks up the peers closest to H(preimage). Ends after 10 s with what it has. Rejects with the signal's reason. */
export async function closestPeers(node: Node, preimage: Uint8Array, signal?: AbortSignal): Promise<Found> {
  if (tableSize(node) === 0) return { peers: [], isWhole: false }
  const timeout = AbortSignal.timeout(LOOKUP_TIMEOUT_MS)
  const found = new Map<string, PeerId>()
  let isWhole = true
  try {
    for await (const event of node.services.dht.getClosestPeers(preimage, { signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]) })) {
      // Whoever answered counts, so that a look-up cut short still has a result.
      if (event.name === 'PEER_RESPONSE') found.set(event.from.toString(), event.from)
      if (event.name === 'QUERY_ERROR') await dropUnreachable(node, event.from)
      if (event.name === 'FINAL_PEER') found.set(event.peer.id.toString(), event.peer.id)
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (!timeout.aborted && node.status === 'started') throw error
    isWhole = false
  }
  found.delete(node.peerId.toString())
  const key = sha256(preimage)
  const nearness = new Map([...found.values()].map((peer) => [peer, distance(key, positionOf(peer))]))
  return { peers: [...nearness.keys()].sort((left, right) => nearness.get(left)! - nearness.get(right)!), isWhole }
}
