import type { Address, PeerId } from '@libp2p/interface'
import type { Node } from '../libp2p.ts'
import { byUse } from './addresses.ts'

/** A peer's known addresses, the most useful first; none for a peer that has gone. A peer of the table may be forgotten between two calls. */
export async function knownAddresses(node: Node, peer: PeerId): Promise<readonly Address[]> {
  try {
    // libp2p sorts them as text.
    return byUse((await node.peerStore.get(peer)).addresses)
  } catch (error) {
    if ((error as Error).name === 'NotFoundError') return []
    throw error
  }
}
