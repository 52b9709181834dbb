import type { KadDHT } from '@libp2p/kad-dht'
import { afterEach, expect, it } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { tableSize } from '../../../src/network/routing/routing.ts'
import { startBareNode } from '../bare-node.ts'
import { waitFor } from '../../wait-for.ts'

const nodes: Node[] = []

afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop()
})

/** What kad-dht does by itself every five seconds. */
async function tagNearest({ services }: Node): Promise<void> {
  await (
    services.dht as KadDHT & { routingTable: { closestPeerTagger: { updatePeerTags(): Promise<void> } } }
  ).routingTable.closestPeerTagger.updatePeerTags()
}

it('tags no peer of the table for redialling: closed connections would displace others endlessly', async () => {
  for (let key = 0; key < 2; key++) nodes.push(await startBareNode(key))
  const [one, other] = nodes as [Node, Node]
  await one.dial(other.getMultiaddrs())
  await waitFor(() => expect(tableSize(one)).toBe(1))
  await tagNearest(one)
  const { tags } = await one.peerStore.get(other.peerId)
  expect([...tags.keys()].filter((tag) => tag.startsWith('keep-alive'))).toEqual([])
})
