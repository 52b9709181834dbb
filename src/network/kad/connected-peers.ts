/**
 * Who is connected is there. Kad-dht pings each peer that comes to its table, once, and takes in those that answer. But
 * two nodes that dial each other at one moment have two connections, and libp2p closes one of them: a ping that ends
 * with it says nothing of the peer, which stays connected, comes no more and would be in no table for good.
 */
import type { PeerId } from '@libp2p/interface'
import type { KadDHT } from '@libp2p/kad-dht'
import type { Node } from '../libp2p.ts'

/** As in kad-dht's routing-table/k-bucket.js. */
interface Verifying {
  verify(contact: { readonly peerId: PeerId }, options?: unknown): Promise<boolean>
}

/**
 * To be called before the node starts. A peer comes to the table once libp2p's identify has told its protocols, or with
 * its answer to a look-up: where it is connected, a ping tells no more. A ping that fails may have begun before the
 * peer was connected, and one that came meanwhile waited for it.
 */
export function takeInConnected(node: Node): void {
  const { kb } = (node.services.dht as KadDHT & { routingTable: { kb: Verifying } }).routingTable
  const ping = kb.verify.bind(kb)
  const isConnected = ({ peerId }: { readonly peerId: PeerId }): boolean => node.getConnections(peerId).length > 0
  kb.verify = async (contact, options) => isConnected(contact) || (await ping(contact, options)) || isConnected(contact)
}
