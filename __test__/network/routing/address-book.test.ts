/** What a real node answers of where its peers listen, without reading the peer store each time. */
import type { PeerId } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { keepAddresses, type AddressBook } from '../../../src/network/routing/address-book.ts'
import { positionOf } from '../../../src/network/table.ts'
import { findingOn, startBareNode } from '../bare-node.ts'
import { labProfile } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

let node: Node
let other: Node

beforeAll(async () => {
  node = await startBareNode(0)
  other = await startBareNode(1)
})
afterAll(async () => {
  for (const each of [node, other]) await each.stop()
})

const told = async (addressesOf: AddressBook, peer: PeerId): Promise<string[]> =>
  (await addressesOf(peer)).map((bytes) => multiaddr(bytes).toString())
const at = (port: number): string => `/ip4/127.0.0.1/tcp/${port}`
const moves = (peer: PeerId, port: number): Promise<unknown> =>
  node.peerStore.patch(peer, { multiaddrs: [multiaddr(at(port))] })

it('names new addresses as soon as the peer has them, and old ones for ten minutes at most', async () => {
  const peer = other.peerId
  let nowMs = 0
  const addressesOf = keepAddresses(node, () => nowMs)
  expect(await told(addressesOf, peer)).toEqual([])
  await moves(peer, 4001)
  expect(await told(addressesOf, peer)).toEqual([at(4001)])
  await moves(peer, 4002)
  expect(await told(addressesOf, peer)).toEqual([at(4002)])
  // As when its addresses grow too old: nothing is told of it.
  await node.peerStore.delete(peer)
  nowMs = 9 * 60_000
  expect(await told(addressesOf, peer)).toEqual([at(4002)])
  nowMs = 11 * 60_000
  expect(await told(addressesOf, peer)).toEqual([])
})

it('reads a peer once for many look-ups, and again after a failure', async () => {
  const { finder } = await findingOn(node, labProfile())
  await node.dial(other.getMultiaddrs())
  await waitFor(() => expect(node.services.table.has(other.peerId)).toBe(true))
  const get = vi.spyOn(node.peerStore, 'get')
  onTestFinished(() => get.mockRestore())
  get.mockRejectedValueOnce(new Error('the disk is gone'))
  const ask = () => finder.answer({ type: 'find', key: positionOf(other.peerId) })
  await expect(ask()).rejects.toThrow('the disk is gone')
  const first = await ask()
  expect(first.peers.map(({ addresses }) => addresses.map((bytes) => multiaddr(bytes).toString()))).toEqual([
    [other.getMultiaddrs()[0]!.decapsulate('/p2p').toString()]
  ])
  expect(await ask()).toEqual(first)
  expect(get).toHaveBeenCalledTimes(2)
})
