import type { Node } from '../libp2p.ts'

const CHANGES = ['connection:open', 'connection:close', 'peer:connect', 'peer:disconnect'] as const

/** The number of connected peers. Libp2p scans all connections for it, so it is read once after each change. */
export function peerCount(node: Node): () => number {
  let count: number | undefined
  const countAgain = (): void => {
    count = undefined
  }
  for (const change of CHANGES) node.addEventListener(change, countAgain)
  return () => (count ??= node.getPeers().length)
}
