import type { Node } from '../libp2p.ts'

/** All that libp2p says when its list of connections changes. */
const CHANGES = ['connection:open', 'connection:close', 'peer:connect', 'peer:disconnect'] as const

/**
 * How many peers are connected. Libp2p goes through all connections to tell it: asked once after each change, however
 * often it is read.
 */
export function peerCount(node: Node): () => number {
  let count: number | undefined
  const countAgain = (): void => {
    count = undefined
  }
  for (const change of CHANGES) node.addEventListener(change, countAgain)
  return () => (count ??= node.getPeers().length)
}
