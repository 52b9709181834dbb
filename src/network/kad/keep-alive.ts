/**
 * Keeps no connection alive. Kad-dht marks the twenty nearest peers that it has met as to be kept alive,
 * and libp2p dials a peer so marked at once when its connection ends. But a connection may have ended because there was
 * no place for it (connection-places.ts), and each new one takes the place of another: forty-five nodes of one /24 open
 * a hundred a second then, and never stop. Nobody needs them: a peer asked is dialled, and watchdog.ts dials those
 * that are missing, ever more seldom.
 */
import type { KadDHT } from '@libp2p/kad-dht'
import type { Node } from '../libp2p.ts'

/** As in kad-dht's routing-table/index.js and closest-peers.js. */
interface Tagged {
  readonly closestPeerTagger: { updatePeerTags(): Promise<void> }
}

/** To be called before the node starts. */
export function keepNobodyAlive(node: Node): void {
  const { closestPeerTagger } = (node.services.dht as KadDHT & { routingTable: Tagged }).routingTable
  closestPeerTagger.updatePeerTags = () => Promise.resolve()
}
