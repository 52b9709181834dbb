/** Who enters the routing table of a node and who leaves it, with real nodes. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { positionOf } from '../../../src/network/table.ts'
import { identifyAgain } from '../../../src/network/transport/identify-again.ts'
import { registryProtocol } from '../../../src/network/wire/messages.ts'
import { answering, findingOn, offer, startBareNode } from '../bare-node.ts'
import { labProfile } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

const PROFILE = labProfile({ k: 1, answers_per_prefix: 0 })
const MINUTE_MS = 60_000

let one: Node
let other: Node
const nodes: Node[] = []

async function start(): Promise<Node> {
  const node = await startBareNode(nodes.length, PROFILE)
  nodes.push(node)
  return node
}

beforeEach(async () => {
  one = await start()
  other = await start()
})

afterEach(async () => {
  vi.restoreAllMocks()
  for (const node of nodes.splice(0)) await node.stop()
})

const knows = (node: Node, peer: Node): boolean => node.services.table.has(peer.peerId)

it('takes in a connected peer that answers requests, and leaves out a light one until it does', async () => {
  await other.unhandle(registryProtocol(PROFILE))
  const identified = new Promise((resolve) => {
    one.addEventListener('peer:identify', resolve, { once: true })
  })
  await one.dial(other.getMultiaddrs())
  await identified
  expect(knows(one, other)).toBe(false)
  await waitFor(() => expect(knows(other, one)).toBe(true))
  await answering(other, PROFILE, {})
  await waitFor(() => expect(knows(one, other)).toBe(true))
  await other.unhandle(registryProtocol(PROFILE))
  await waitFor(() => expect(knows(one, other)).toBe(false))
})

it('leaves out peers of another network', async () => {
  const stranger = await startBareNode(9, labProfile({ k: 2 }))
  nodes.push(stranger)
  const identified = new Promise((resolve) => {
    one.addEventListener('peer:identify', resolve, { once: true })
  })
  await one.dial(stranger.getMultiaddrs())
  await identified
  expect(one.services.table.size).toBe(0)
})

it('adds a connected peer without a place in the table once it answers a look-up', async () => {
  const profile = labProfile()
  const third = await start()
  const { finder } = await findingOn(one, profile)
  for (const node of [other, third]) await findingOn(node, profile)
  await one.dial(third.getMultiaddrs())
  await other.dial(third.getMultiaddrs())
  await one.dial(other.getMultiaddrs())
  await waitFor(() => expect([one, other, third].map(({ services }) => services.table.size)).toEqual([2, 2, 2]))
  one.services.table.remove(other.peerId)
  await finder.find(positionOf(other.peerId))
  await waitFor(() => expect(knows(one, other)).toBe(true))
})

it('gives the place of a peer that has gone to a newcomer, and that of nobody who is there', async () => {
  // As far from `one` as each other, so that they share a leaf of one place.
  const table = one.services.table
  const [first] = positionOf(one.peerId)
  const isFar = (node: Node): boolean => ((positionOf(node.peerId)[0]! ^ first!) & 0x80) !== 0
  const leafOf = (node: Node): number => positionOf(node.peerId)[0]! >> 2
  const far: Node[] = []
  while (far.length < 2) {
    const node = await start()
    if (isFar(node) && (far.length === 0 || leafOf(node) === leafOf(far[0]!))) far.push(node)
  }
  const [earlier, later] = far as [Node, Node]
  await one.dial(earlier.getMultiaddrs())
  await waitFor(() => expect(knows(one, earlier)).toBe(true))
  const clock = vi.spyOn(performance, 'now')
  const now = Date.now()
  clock.mockImplementation(() => now + 11 * MINUTE_MS)
  await offer(one, later.peerId)
  expect(knows(one, later), 'a connected one is there').toBe(false)
  await one.hangUp(earlier.peerId)
  clock.mockImplementation(() => now + 22 * MINUTE_MS)
  await offer(one, later.peerId)
  expect(knows(one, later), 'so is one that can be dialled').toBe(false)
  await earlier.stop()
  await waitFor(() => expect(one.getConnections(earlier.peerId)).toEqual([]))
  clock.mockImplementation(() => now + 33 * MINUTE_MS)
  await offer(one, later.peerId)
  expect(knows(one, later)).toBe(true)
  expect(table.size).toBe(1)
})

it('takes in a peer that identify missed at first', async () => {
  const identify = vi.spyOn(one.services.identify, 'identify')
  for (let count = 0; count < 2; count++) identify.mockRejectedValueOnce(new Error('no answer in time'))
  identifyAgain(one, 50)
  await one.dial(other.getMultiaddrs())
  await waitFor(() => expect(knows(one, other)).toBe(true))
  expect(identify).toHaveBeenCalledTimes(3)
})

it('forgets a disconnected peer outside the table', async () => {
  await other.unhandle(registryProtocol(PROFILE))
  await one.dial(other.getMultiaddrs())
  await waitFor(async () => expect((await one.peerStore.get(other.peerId)).protocols).not.toEqual([]))
  await one.hangUp(other.peerId)
  await waitFor(async () => expect(await one.peerStore.has(other.peerId)).toBe(false))
})
