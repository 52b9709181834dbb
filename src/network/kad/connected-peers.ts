/**
 * Connected peers count as alive. Kad-dht pings each new peer once and adds those that answer. When two nodes dial each
 * other simultaneously, libp2p closes one of two connections. A ping lost with it says nothing about the peer, which
 * stays connected but would never enter a table.
 */
import type { PeerId } from '@libp2p/interface'
import type { KadDHT } from '@libp2p/kad-dht'
import type { Node } from '../libp2p.ts'

/** As in kad-dht's routing-table/k-bucket.js. */
interface Verifying {
  verify(contact: { readonly peerId: PeerId }, options?: unknown): Promise<boolean>
}

/**
 * Call before the node starts. A peer reaches the table after libp2p's identify has told its protocols, or after it
 * answers a look-up. If it is connected, a ping tells no more. A ping that fails may have begun before the connection;
 * a second request meanwhile waits for it.
 */
export function addConnectedPeers(node: Node): void {
  const { kb } = (node.services.dht as KadDHT & { routingTable: { kb: Verifying } }).routingTable
  const ping = kb.verify.bind(kb)
  const isConnected = ({ peerId }: { readonly peerId: PeerId }): boolean => node.getConnections(peerId).length > 0
  kb.verify = async (contact, options) => isConnected(contact) || (await ping(contact, options)) || isConnected(contact)
}
