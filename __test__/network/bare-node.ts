/** A real libp2p node without the registry on top. */
import { startNode, type Node } from '../../src/network/node.ts'
import { sha256, utf8 } from '../../src/protocol/bytes.ts'
import type { NetworkProfile } from '../../src/protocol/profile.ts'
import { labProfile } from './lab.ts'

/** Listens on loopback and knows nobody; the index is what its key comes from. */
export function startBareNode(index: number, profile: NetworkProfile = labProfile()): Promise<Node> {
  return startNode({
    profile,
    nodeSeed: sha256(utf8(`node ${index}`)),
    listen: ['/ip4/127.0.0.1/tcp/0'],
    bootstrap: [],
    mode: 'full',
    isBanned: () => false,
    mayConnect: () => true,
    agent: 'test'
  })
}
