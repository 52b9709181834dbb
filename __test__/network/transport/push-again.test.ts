/** Who hears of what changes at a node while peers connect, with real nodes. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { registryProtocol } from '../../../src/network/wire/messages.ts'
import { announce, startBareNode } from '../bare-node.ts'
import { labProfile } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

const OURS = registryProtocol(labProfile())

const nodes: Node[] = []
let changing: Node

async function start(): Promise<Node> {
  const node = await startBareNode(nodes.length)
  nodes.push(node)
  return node
}

beforeEach(async () => {
  changing = await start()
  await announce(changing)
})

afterEach(async () => {
  vi.restoreAllMocks()
  for (const node of nodes.splice(0)) await node.stop()
})

const knows = (node: Node, peer: Node): boolean => node.services.table.has(peer.peerId)

it('all that say who they are, though one that connected before them says nothing', async () => {
  const mute = await start()
  await mute.unhandle('/ipfs/id/1.0.0')
  vi.spyOn(mute.services.identify, 'identify').mockRejectedValue(new Error('asks nothing'))
  await mute.dial(changing.getMultiaddrs())
  const peer = await start()
  await peer.dial(changing.getMultiaddrs())
  await waitFor(() => expect([knows(peer, changing), knows(changing, peer)]).toEqual([true, true]))
  expect(knows(changing, mute)).toBe(false)
  await changing.unhandle(OURS)
  await waitFor(() => expect(knows(peer, changing)).toBe(false))
})

it('one that said who it is only afterwards', async () => {
  const identify = vi.spyOn(changing.services.identify, 'identify').mockRejectedValue(new Error('no answer in time'))
  const peer = await start()
  await peer.dial(changing.getMultiaddrs())
  await waitFor(() => expect(knows(peer, changing)).toBe(true))
  const looked = vi.spyOn(changing.peerStore, 'get')
  await changing.unhandle(OURS)
  // Libp2p has passed it over.
  await waitFor(() => expect(looked.mock.calls.some(([id]) => id.equals(peer.peerId))).toBe(true))
  identify.mockRestore()
  await changing.services.identify.identify(changing.getConnections(peer.peerId)[0]!)
  await waitFor(() => expect(knows(peer, changing)).toBe(false))
})
