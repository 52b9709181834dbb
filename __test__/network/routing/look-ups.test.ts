/** Which look-ups ask the network, with real nodes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest'
import { type Finder, createLookUps, type LookUps } from '../../../src/network/routing/look-ups.ts'
import type { Node } from '../../../src/network/libp2p.ts'
import { positionOf } from '../../../src/network/table.ts'
import { createPeers } from '../../../src/network/peers.ts'
import { contactOf, createPrefixes } from '../../../src/network/routing/prefixes.ts'
import { createPatience } from '../../../src/network/wire/patience.ts'
import { diverseFirst } from '../../../src/protocol/neighbourhood/diversity.ts'
import { distance, networkSize } from '../../../src/protocol/neighbourhood/key-space.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import type { PeerId } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { lookUp } from '../../../src/network/routing/look-up.ts'
import { modelledPeer } from '../modelled-peers.ts'
import { findingOn, placing, startBareNode } from '../bare-node.ts'
import { labProfile } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

const [FIRST, SECOND] = [sha256(utf8('first')), sha256(utf8('second'))]
const nodes: Node[] = []
let asker: Node
let left: Node
let nowMs = 0
let asked: MockInstance
let finder: Finder | undefined

async function join(): Promise<Node> {
  const node = await startBareNode(nodes.length)
  const finding = await findingOn(node, labProfile())
  finder ??= finding.finder
  for (const other of nodes.filter(({ status }) => status === 'started')) await node.dial(other.getMultiaddrs())
  nodes.push(node)
  return node
}

function nearestTo(key: Uint8Array, others: readonly Node[]): string[] {
  const away = ({ peerId }: Node): number => distance(key, positionOf(peerId))
  return others.toSorted((one, other) => away(one) - away(other)).map(({ peerId }) => peerId.toString())
}

function lookUpsOf(k: number, prefixOf: (peer: string) => string = (peer) => peer): LookUps {
  const prefixes = {
    of: (peer: PeerId) => prefixOf(peer.toString()),
    known: (peer: PeerId) => prefixOf(peer.toString())
  }
  const limits = { answers_per_prefix: 1, answers_per_wide_prefix: 0 }
  const find: Finder['find'] = async (key, signal) => {
    const found = await finder!.find(key, signal)
    return {
      ...found,
      peers: diverseFirst(
        found.peers.map((id) => contactOf(id, prefixes)),
        k,
        limits
      ).map(({ id }) => id)
    }
  }
  return createLookUps(asker, { find }, { k, ...limits }, placing(asker, prefixes), () => nowMs)
}

async function closest(lookUps: LookUps, preimage: Uint8Array): Promise<string[]> {
  return (await lookUps.closest(preimage)).map(String)
}

async function knows(count: number): Promise<void> {
  await waitFor(() => expect(asker.services.table.size).toBe(count))
}

beforeAll(async () => {
  asker = await join()
  left = await join()
  await join()
  await knows(2)
  asked = vi.spyOn(finder!, 'find')
})

beforeEach(() => {
  asked.mockClear()
})

afterAll(async () => {
  for (const node of nodes) await node.stop()
})

describe('look-ups in a network of fewer than k others', () => {
  it('ask once in ten seconds, and find everybody for any key', async () => {
    const lookUps = lookUpsOf(20)
    expect(await closest(lookUps, FIRST)).toEqual(nearestTo(FIRST, nodes.slice(1)))
    expect(await closest(lookUps, SECOND)).toEqual(nearestTo(SECOND, nodes.slice(1)))
    expect(asked).toHaveBeenCalledTimes(1)
    nowMs += 10_000
    expect(await closest(lookUps, SECOND)).toEqual(nearestTo(SECOND, nodes.slice(1)))
    expect(asked).toHaveBeenCalledTimes(2)
    await lookUps.askNetwork(SECOND)
    expect(asked).toHaveBeenCalledTimes(3)
  })

  it('know of peers that join and leave meanwhile', async () => {
    const lookUps = lookUpsOf(20)
    await closest(lookUps, FIRST)
    await join()
    await knows(3)
    expect(await closest(lookUps, FIRST)).toEqual(nearestTo(FIRST, nodes.slice(1)))
    expect(asked).toHaveBeenCalledTimes(1)
    await left.stop()
    await waitFor(() => expect(asker.getConnections(left.peerId)).toHaveLength(0))
    // It stays in the table until a dial to it fails.
    expect(await closest(lookUps, FIRST)).toEqual(nearestTo(FIRST, nodes.slice(2)))
    expect(asked).toHaveBeenCalledTimes(2)
  })

  it('end with the reason of their signal', async () => {
    const lookUps = lookUpsOf(20)
    await closest(lookUps, FIRST)
    await expect(lookUps.closest(FIRST, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  })
})

it('with k others and more, every look-up asks', async () => {
  const lookUps = lookUpsOf(2)
  expect(await closest(lookUps, FIRST)).toEqual(nearestTo(FIRST, nodes.slice(2)).slice(0, 2))
  await closest(lookUps, FIRST)
  expect(asked).toHaveBeenCalledTimes(2)
})

describe('the size of the network', () => {
  it('is how many are known while they are fewer than k, or nothing was looked up yet', async () => {
    expect(lookUpsOf(20).networkSize()).toBe(asker.services.table.size + 1)
    expect(lookUpsOf(2).networkSize()).toBe(asker.services.table.size + 1)
    const lookUps = lookUpsOf(20)
    await lookUps.sample(FIRST)
    expect(lookUps.networkSize()).toBe(asker.services.table.size + 1)
  })

  /** By the two nearest of those that count. */
  function estimate(preimage: Uint8Array, prefixOf: (peer: string) => string = (peer) => peer): number {
    const running = nodes.filter((node) => node !== asker && node.status === 'started')
    const counted = nearestTo(preimage, running).filter(
      (peer, index, all) => all.findIndex((other) => prefixOf(other) === prefixOf(peer)) === index
    )
    return networkSize(
      preimage,
      counted.slice(0, 2).map((peer) => positionOf(peerIdFromString(peer)))
    )
  }
  const median = (of: number[]): number => of.toSorted((left, right) => left - right)[(of.length - 1) >> 1]!
  const preimages = Array.from({ length: 12 }, (_, index) => sha256(utf8(String(index))))

  it('is the median of the last nine estimates at random keys, wherever this node is', async () => {
    const lookUps = lookUpsOf(2)
    const estimates = preimages.map((preimage) => estimate(preimage))
    for (const [index, preimage] of preimages.entries()) {
      await lookUps.sample(preimage)
      expect(lookUps.networkSize()).toBe(median(estimates.slice(Math.max(0, index - 8), index + 1)))
    }
  })

  it('is by what is found from then on, once the network has changed', async () => {
    const lookUps = lookUpsOf(2)
    for (const preimage of preimages.slice(0, 9)) await lookUps.sample(preimage)
    for (const preimage of preimages) {
      await lookUps.sample(preimage, undefined, true)
      expect(lookUps.networkSize()).toBe(estimate(preimage))
    }
  })

  it('counts one prefix once: an asked peer may have ids near every key [a crowd around one node]', async () => {
    await join()
    await join()
    await knows(4)
    const others = nodes.filter((node) => node !== asker && node.status === 'started')
    const pairs = others.flatMap((one, index) =>
      others.slice(index + 1).map((other) => [one.peerId, other.peerId] as const)
    )
    const apart = ([one, other]: (typeof pairs)[number]): number => distance(positionOf(one), positionOf(other))
    const crowd = pairs.reduce((best, pair) => (apart(pair) < apart(best) ? pair : best)).map(String)
    const prefixOf = (peer: string): string => (crowd.includes(peer) ? 'one machine' : peer)
    // Where the crowd is next to the key, so that it would be taken for the whole neighbourhood.
    const surrounded = Array.from({ length: 1000 }, (_, index) => sha256(utf8(`surrounded ${index}`))).filter(
      (preimage) => estimate(preimage, prefixOf) < estimate(preimage)
    )
    for (const preimage of surrounded.slice(0, 3)) {
      const lookUps = lookUpsOf(2, prefixOf)
      await lookUps.sample(preimage)
      expect(lookUps.networkSize()).toBe(estimate(preimage, prefixOf))
    }
    expect(surrounded.length).toBeGreaterThan(3)
  })
})

it('two at the same time dial each peer that they meet once', async () => {
  const newcomer = await startBareNode(nodes.length)
  const mine = (await findingOn(newcomer, labProfile())).finder
  await newcomer.dial(asker.getMultiaddrs())
  nodes.push(newcomer)
  await waitFor(() => expect(newcomer.services.table.size).toBe(1))
  const dial = vi.spyOn(newcomer, 'dial')
  await Promise.all([mine.find(FIRST), mine.find(SECOND)])
  const dialled = dial.mock.calls.map(([target]) => String(target)).filter((target) => target.startsWith('/'))
  expect(dialled.length).toBeGreaterThan(1)
  expect(new Set(dialled).size).toBe(dialled.length)
})

describe('holders that several questions look for at the same time', () => {
  it('are looked up once, and once those under one blinded prefix', async () => {
    const strangers = { met: () => undefined, isLongKnown: () => false }
    const lookUps = lookUpsOf(20)
    const looked = vi.spyOn(lookUps, 'closest')
    const prefixes = placing(asker, createPrefixes(asker, labProfile()))
    const parts = { lookUps, prefixes, acquaintances: strangers, patience: createPatience(asker) }
    const peers = createPeers(asker, labProfile(), parts, () => undefined)
    const all = () => Promise.all([peers.closest(FIRST), peers.neighbourhood(FIRST), peers.neighbourhood(SECOND)])
    const [[closest], [again]] = await Promise.all([all(), all()])
    expect(again).toEqual(closest)
    // Of a network that is smaller than one answer, one tells who is under a prefix.
    expect(looked).toHaveBeenCalledTimes(2)
    await peers.closest(FIRST)
    expect(looked).toHaveBeenCalledTimes(3)
  })
})

describe('a look-up', () => {
  const peers = Array.from({ length: 20 }, (_, index) => modelledPeer(index).id)
  const [first, ...others] = peers
  /** Peers asked before anybody but the first has answered, who names all. */
  async function askedAtOnce(): Promise<number> {
    const ended = new AbortController()
    let count = 0
    const found = lookUp(
      FIRST,
      {
        k: 20,
        limits: { answers_per_prefix: 0, answers_per_wide_prefix: 0 },
        isLongKnown: () => false,
        own: modelledPeer(200).id,
        known: [first!],
        prefixOf: ({ id }) => id.toString(),
        ask({ id }) {
          count++
          const named = others.map((each) => ({ id: each, addresses: [] }))
          return id === first ? Promise.resolve(named) : new Promise(() => undefined)
        },
        waitMs: () => 0,
        roundTripMs: () => 0
      },
      ended.signal
    )
    await new Promise((resolve) => setImmediate(resolve))
    ended.abort(new Error('enough'))
    await expect(found).rejects.toThrow('enough')
    return count
  }

  it('asks twelve at a time', async () => {
    expect(await askedAtOnce()).toBe(1 + 12)
  })
})
