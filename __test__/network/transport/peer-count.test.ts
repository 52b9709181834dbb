import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { peerCount } from '../../../src/network/connection.ts'
import { startBareNode } from '../bare-node.ts'
import { waitFor } from '../../wait-for.ts'

let one: Node
let others: Node[]

beforeEach(async () => {
  one = await startBareNode(0)
  others = [await startBareNode(1), await startBareNode(2)]
})

afterEach(async () => {
  for (const node of [one, ...others]) await node.stop()
})

it('is right after each connection, though it was asked before', async () => {
  const count = peerCount(one)
  expect(count()).toBe(0)
  for (const [index, other] of others.entries()) {
    await one.dial(other.getMultiaddrs())
    expect(count()).toBe(index + 1)
  }
  await one.hangUp(others[0]!.peerId)
  await waitFor(() => expect(count()).toBe(1))
})

it('is right for those who hear that a peer came or went', async () => {
  const count = peerCount(one)
  const heard: number[] = []
  for (const change of ['peer:connect', 'peer:disconnect'] as const)
    one.addEventListener(change, () => heard.push(count()))
  await one.dial(others[0]!.getMultiaddrs())
  expect(heard).toEqual([1])
  await one.hangUp(others[0]!.peerId)
  await waitFor(() => expect(heard).toEqual([1, 0]))
})

it('says that a table is empty until a peer is in it', async () => {
  expect(one.services.table.size === 0).toBe(true)
  await one.dial(others[0]!.getMultiaddrs())
  await waitFor(() => expect(one.services.table.size === 0).toBe(false))
})
