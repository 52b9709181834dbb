import type { Address, PeerId } from '@libp2p/interface'
import type { Node } from '../libp2p.ts'

/**
 * Where a peer listens, as far as it is known; nothing of one that has gone: a peer of the table may be forgotten
 * between any two questions.
 */
export async function knownAddresses(node: Node, peer: PeerId): Promise<readonly Address[]> {
  try {
    return (await node.peerStore.get(peer)).addresses
  } catch (error) {
    if ((error as Error).name === 'NotFoundError') return []
    throw error
  }
}
