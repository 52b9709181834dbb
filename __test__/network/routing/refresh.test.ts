/** The peers that a joining node looks for, with real nodes; the look-ups are noted, not made. */
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { discoverPeers } from '../../../src/network/routing/refresh.ts'
import type { Node } from '../../../src/network/libp2p.ts'
import { positionOf } from '../../../src/network/table.ts'
import { sharesPrefix } from '../../../src/protocol/neighbourhood/key-space.ts'
import type { Clock } from '../../../src/time/clock.ts'
import { announce, startBareNode } from '../bare-node.ts'
import { waitFor } from '../../wait-for.ts'

const K = 2

/** What the look-ups say of the network; parts of the key space that belong to others. */
const [SIZE, PARTS] = [10, 3]

const nodes: Node[] = []
let joiner: Node
let lookedUp: Uint8Array[]
let fails: boolean
let sampled: Uint8Array[]
let changes: boolean[]
let size: number
let end: () => void
const samples: (() => void)[] = []

beforeEach(async () => {
  joiner = await startBareNode(0)
  // Else its looks would depend on how many it knows by then.
  await announce(joiner)
  nodes.push(joiner)
  lookedUp = []
  sampled = []
  changes = []
  fails = false
  size = SIZE
  const look = (key: Uint8Array): Promise<[]> => {
    lookedUp.push(key)
    return fails ? Promise.reject(new Error('nobody answers')) : Promise.resolve([])
  }
  const sample = async (key: Uint8Array, _signal?: AbortSignal, hasChanged = false): Promise<void> => {
    sampled.push(key)
    changes.push(hasChanged)
    await look(key)
  }
  const timers: Pick<Clock, 'every'> = {
    every: (_milliseconds, action) => (samples.push(action), () => samples.splice(samples.indexOf(action), 1))
  }
  end = discoverPeers(
    joiner,
    K,
    { askNetwork: look, closest: look, sample, networkSize: () => size },
    timers,
    pino({ level: 'silent' })
  )
})

afterEach(async () => {
  end()
  for (const node of nodes.splice(0)) await node.stop()
})

async function meet(): Promise<void> {
  const known = joiner.services.table.size
  const other = await startBareNode(nodes.length)
  nodes.push(other)
  await other.dial(joiner.getMultiaddrs())
  await waitFor(() => expect(joiner.services.table.size).toBe(known + 1))
}

/** By how many first bits each key that was looked up agrees with our own; undefined for our own id. */
function sharedBits(): (number | undefined)[] {
  const own = positionOf(joiner.peerId)
  return lookedUp.map((key) =>
    Array.from({ length: 256 }, (_, bits) => bits).find((bits) => !sharesPrefix(own, key, bits + 1))
  )
}

/** Once what was begun has ended. */
async function looks(): Promise<(number | undefined)[]> {
  await new Promise((resolve) => setImmediate(resolve))
  return sharedBits()
}

it('looks for its neighbours below k peers, then in each farther part, again after growth by half', async () => {
  await meet()
  expect(await looks()).toEqual([undefined])
  await meet()
  const far = [undefined, ...Array.from({ length: PARTS }, (_, shared) => shared)]
  expect(await looks()).toEqual(far)
  await meet()
  const again = [...far, ...far.slice(1)]
  expect(await looks()).toEqual(again)
  await meet()
  expect(await looks()).toEqual(again)
  expect(sampled).toEqual(lookedUp.slice(1))
  // What was noted when the network was smaller counts no more.
  expect(changes).toEqual([true, false, false, true, false, false])
})

it('also looks near itself in a large network, without counting those peers [a crowd around one node]', async () => {
  // 2^9 k.
  size = 512 * K
  await meet()
  await meet()
  expect(await looks()).toEqual([undefined, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(sampled).toEqual(lookedUp.slice(1, 7))
})

it('looks again when it announces where it is: those who looked before have not heard of it', async () => {
  await meet()
  expect(await looks()).toEqual([undefined])
  const heard = new Promise((resolve) => {
    joiner.addEventListener('self:peer:update', resolve, { once: true })
  })
  await joiner.peerStore.patch(joiner.peerId, { multiaddrs: [] })
  await heard
  expect(await looks()).toEqual([undefined, undefined])
})

it('asks at a random key from time to time, once it knows k others', async () => {
  samples[0]!()
  await meet()
  samples[0]!()
  expect(sampled).toEqual([])
  await meet()
  await looks()
  sampled = []
  samples[0]!()
  samples[0]!()
  expect(sampled).toHaveLength(2)
  expect(sampled[0]).not.toEqual(sampled[1])
  end()
  expect(samples).toEqual([])
})

it('goes on after a look-up that failed', async () => {
  fails = true
  await meet()
  expect(await looks()).toEqual([undefined])
  fails = false
  await meet()
  expect((await looks()).slice(0, 2)).toEqual([undefined, 0])
})
