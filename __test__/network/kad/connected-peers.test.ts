import type { PeerId } from '@libp2p/interface'
import type { KadDHT } from '@libp2p/kad-dht'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { isKnown, tableSize } from '../../../src/network/routing/routing.ts'
import { positionOf } from '../../../src/network/position.ts'
import { startBareNode } from '../bare-node.ts'
import { findingOn } from '../finding-node.ts'
import { labProfile } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

let one: Node
let other: Node
let third: Node | undefined

beforeEach(async () => {
  one = await startBareNode(0)
  other = await startBareNode(1)
})

afterEach(async () => {
  await one.stop()
  await other.stop()
  await third?.stop()
  third = undefined
})

/** As in kad-dht's kad-dht.js. */
interface TableParts {
  readonly routingTable: { remove(peer: PeerId): Promise<void> }
  readonly querySelf: { stop(): Promise<void> }
  readonly topologyListener: { stop(): Promise<void> }
}

/** What kad-dht does with each peer that it hears of. */
function offer(node: Node, peer: PeerId): Promise<void> {
  return (
    node.services.dht as KadDHT & { routingTable: { kb: { add(peer: PeerId): Promise<void> } } }
  ).routingTable.kb.add(peer)
}

it('adds a connected peer though its ping fails, as with a closed second connection', async () => {
  one.services.ping.ping = () => Promise.reject(new Error('the connection was closed'))
  await one.dial(other.getMultiaddrs())
  await waitFor(() => expect(tableSize(one)).toBe(1))
})

it('takes in a peer that was connected while a ping of before failed', async () => {
  const begun = Promise.withResolvers<undefined>()
  const fails = Promise.withResolvers<number>()
  one.services.ping.ping = () => {
    begun.resolve(undefined)
    return fails.promise
  }
  const offered = offer(one, other.peerId)
  await begun.promise
  await one.dial(other.getMultiaddrs())
  fails.reject(new Error('nobody could be reached'))
  await offered
  expect(tableSize(one)).toBe(1)
})

it('takes in nobody who is not connected and answers no ping', async () => {
  await other.stop()
  await offer(one, other.peerId)
  expect(tableSize(one)).toBe(0)
})

it('adds a connected peer without a place in the table once it answers a look-up', async () => {
  const profile = labProfile()
  third = await startBareNode(2)
  const { finder } = await findingOn(one, profile)
  for (const node of [other, third]) await findingOn(node, profile)
  await one.dial(other.getMultiaddrs())
  await other.dial(third.getMultiaddrs())
  await one.dial(third.getMultiaddrs())
  await waitFor(() => expect([one, other, third].map((node) => node && tableSize(node))).toEqual([2, 2, 2]))
  const parts = ({ services }: Node): TableParts => services.dht as KadDHT & TableParts
  // Its own first look-up and libp2p's identify, told of a new protocol, do the same, once.
  await parts(one).querySelf.stop()
  await parts(one).topologyListener.stop()
  await parts(one).routingTable.remove(other.peerId)
  expect(isKnown(one, other.peerId)).toBe(false)
  await finder.find(positionOf(other.peerId))
  await waitFor(() => expect(isKnown(one, other.peerId)).toBe(true))
})
