import type { Node } from '../libp2p.ts'

/** The number of connected peers. Libp2p scans all connections for it; this follows its events. */
export function peerCount(node: Node): () => number {
  const connected = new Set<string>()
  node.addEventListener('peer:connect', ({ detail }) => connected.add(detail.toString()))
  node.addEventListener('peer:disconnect', ({ detail }) => connected.delete(detail.toString()))
  return () => connected.size
}
