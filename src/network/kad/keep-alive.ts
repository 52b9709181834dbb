/**
 * Keeps no connection alive. Kad-dht tags the twenty nearest peers with keep-alive, and libp2p redials tagged peers at
 * once. But a connection may end for lack of places (connection-places.ts), and each redial takes another's place.
 * Forty-five nodes of one /24 then open a hundred connections a second without end. Requests dial their peers
 * themselves, and watchdog.ts redials missing ones with growing pauses.
 */
import type { KadDHT } from '@libp2p/kad-dht'
import type { Node } from '../libp2p.ts'

/** As in kad-dht's routing-table/index.js and closest-peers.js. */
interface Tagged {
  readonly closestPeerTagger: { updatePeerTags(): Promise<void> }
}

/** Call before the node starts. */
export function disableKeepAlive(node: Node): void {
  const { closestPeerTagger } = (node.services.dht as KadDHT & { routingTable: Tagged }).routingTable
  closestPeerTagger.updatePeerTags = () => Promise.resolve()
}
