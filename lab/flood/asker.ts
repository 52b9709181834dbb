/** A node that asks from an address of this machine, and answers nobody. */
import { randomBytes } from 'node:crypto'
import type { Node } from '../../src/network/libp2p.ts'
import { startNode } from '../../src/network/node.ts'
import { FLOOD_PROFILE } from './profile.ts'

export function startAsker(place: string): Promise<Node> {
  return startNode({
    profile: FLOOD_PROFILE,
    nodeSeed: new Uint8Array(randomBytes(32)),
    listen: [],
    dialFrom: place,
    bootstrap: () => [],
    isBanned: () => false,
    mayConnect: () => true,
    agent: 'asker'
  })
}
