/** Whom a node looks for when it joins, with real nodes; the look-ups are noted, not made. */
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { discoverPeers } from '../../src/network/discovery.ts'
import type { Node } from '../../src/network/node.ts'
import { estimateNetworkSize, positionOf, tableSize } from '../../src/network/routing.ts'
import { sha256 } from '../../src/protocol/bytes.ts'
import { sharesPrefix } from '../../src/protocol/record-key.ts'
import { startBareNode } from './bare-node.ts'

const K = 2

const nodes: Node[] = []
let joiner: Node
let lookedUp: Uint8Array[]
let fails: boolean
let end: () => void

beforeEach(async () => {
  joiner = await startBareNode(0)
  nodes.push(joiner)
  lookedUp = []
  fails = false
  const anew = (preimage: Uint8Array): Promise<[]> => {
    lookedUp.push(preimage)
    return fails ? Promise.reject(new Error('nobody answers')) : Promise.resolve([])
  }
  end = discoverPeers(joiner, K, { anew, closest: anew }, pino({ level: 'silent' }))
})

afterEach(async () => {
  end()
  for (const node of nodes.splice(0)) await node.stop()
})

async function meet(): Promise<void> {
  const known = tableSize(joiner)
  const other = await startBareNode(nodes.length)
  nodes.push(other)
  await other.dial(joiner.getMultiaddrs())
  await vi.waitFor(() => expect(tableSize(joiner)).toBe(known + 1), 10_000)
}

/** By how many first bits each key that was looked up agrees with our own; undefined for our own id. */
function sharedBits(): (number | undefined)[] {
  const own = positionOf(joiner.peerId)
  return lookedUp.map((preimage) => {
    const key = sha256(preimage)
    return Array.from({ length: 256 }, (_, bits) => bits).find((bits) => !sharesPrefix(own, key, bits + 1))
  })
}

/** Once what was begun has ended. */
async function looks(): Promise<(number | undefined)[]> {
  await new Promise((resolve) => setImmediate(resolve))
  return sharedBits()
}

it('looks for its neighbours while it knows fewer than k, then once into each part of the key space that is farther away', { timeout: 30_000 }, async () => {
  await meet()
  expect(await looks()).toEqual([undefined])
  await meet()
  const parts = Math.floor(Math.log2(estimateNetworkSize(joiner, K) / K)) + 1
  const far = [undefined, ...Array.from({ length: parts }, (_, shared) => shared)]
  expect(await looks()).toEqual(far)
  await meet()
  expect(await looks()).toEqual(far)
})

it('goes on after a look-up that failed', { timeout: 30_000 }, async () => {
  fails = true
  await meet()
  expect(await looks()).toEqual([undefined])
  fails = false
  await meet()
  expect((await looks()).slice(0, 2)).toEqual([undefined, 0])
})
