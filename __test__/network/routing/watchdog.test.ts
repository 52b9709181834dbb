/** How bootstrap peers are dialled, and what is told of those that cannot be reached, with real nodes. */
import { setImmediate } from 'node:timers/promises'
import { multiaddr } from '@multiformats/multiaddr'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest'
import { OWN_HOST } from '../../../scripts/loopback.ts'
import type { Node } from '../../../src/network/libp2p.ts'
import { watchBootstrap } from '../../../src/network/routing/watchdog.ts'
import { registryProtocol } from '../../../src/network/wire/messages.ts'
import { startBareNode } from '../bare-node.ts'
import { labProfile } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

let [alone, other]: Node[] = []

beforeAll(async () => {
  alone = await startBareNode(0)
  other = await startBareNode(1)
})

afterAll(async () => {
  for (const node of [alone, other]) await node?.stop()
})

it('tells once why an address of a bootstrap peer does not work, while nobody is known', async () => {
  const address = other!.getMultiaddrs()[0]!.toString()
  const gone = await startBareNode(2, labProfile(), OWN_HOST)
  const ofAnother = address.replace(/p2p\/.*/, `p2p/${gone.peerId.toString()}`)
  // A port that was bound until now: any fixed port may have a listener on some machine.
  const closed = gone
    .getMultiaddrs()[0]!
    .toString()
    .replace(/p2p\/.*/, `p2p/${other!.peerId.toString()}`)
  await gone.stop()
  let look = (): void => undefined
  const timers = { every: (_interval: number, action: () => void) => ((look = action), () => undefined) }
  const told: string[][] = []
  const itself = alone!.getMultiaddrs()[0]!.toString()
  let addresses = [closed, ofAnother, itself]
  watchBootstrap(
    alone!,
    () => [itself],
    () => addresses,
    timers,
    (...each) => told.push(each)
  )
  look()
  await waitFor(() => expect(told).toHaveLength(2))
  expect(told.flat()).not.toContain(itself)
  expect(told).toContainEqual([closed, expect.stringContaining('ECONNREFUSED')])
  expect(told).toContainEqual([ofAnother, expect.stringMatching(/identity|peer ?id/i)])
  const dial = vi.spyOn(alone!, 'dial')
  look()
  await Promise.allSettled(dial.mock.results.map(({ value }) => value as Promise<unknown>))
  await setImmediate()
  expect(dial).toHaveBeenCalledTimes(2)
  expect(told).toHaveLength(2)
  addresses = [closed, address]
  look()
  await waitFor(() => expect(alone!.getPeers()).toHaveLength(1))
})

/** Nodes of their own: `node` knows somebody, so that the one it misses is dialled ever more seldom. */
it('dials ever more seldom a peer that hangs up each time: a node that is full closes idle connections', async () => {
  const [node, known, busy] = [await startBareNode(3), await startBareNode(4), await startBareNode(5)]
  try {
    await node.dial(multiaddr(known.getMultiaddrs()[0]!.toString()))
    // It answers no look-ups, so that no other peer dials it.
    await busy.unhandle(registryProtocol(labProfile()))
    const dial = vi.spyOn(node, 'dial')
    let look = (): void => undefined
    await waitFor(() => expect(node.services.table.size).toBe(1))
    watchBootstrap(
      node,
      () => [],
      () => [busy.getMultiaddrs()[0]!.toString()],
      { every: (_interval, action) => ((look = action), () => undefined) },
      () => undefined
    )
    const dialledAt: number[] = []
    for (let count = 1; count <= 120; count++) {
      look()
      if (dial.mock.calls.length === dialledAt.length) continue
      dialledAt.push(count)
      await Promise.allSettled(dial.mock.results.map(({ value }) => value as Promise<unknown>))
      await waitFor(() => expect(busy.getConnections().length).toBeGreaterThan(0))
      // It is seen connected once.
      look()
      count++
      for (const connection of busy.getConnections()) connection.abort(new Error('no place is left'))
      await waitFor(() => expect(node.getConnections(busy.peerId).length).toBe(0))
    }
    // Looks, of two seconds each.
    expect(dialledAt).toEqual([6, 16, 36, 76])
  } finally {
    for (const each of [node, known, busy]) await each.stop()
  }
})

describe('of peers that went missing', () => {
  const NAMES = ['first', 'second', 'later'] as const
  let [node, first, second]: Node[] = []
  const nodes: Node[] = []
  let addresses: Record<(typeof NAMES)[number], string>
  /** Those that are watched. */
  let watched: string[]
  let looked: () => void
  let dial: MockInstance<Node['dial']>
  let end: () => void

  beforeEach(async () => {
    for (let key = 6; key <= 10; key++) nodes.push(await startBareNode(key))
    const [here, known, ...others] = nodes as [Node, Node, ...Node[]]
    node = here
    ;[first, second] = others
    const addressOf = (each: Node): string => each.getMultiaddrs()[0]!.toString()
    addresses = { first: addressOf(others[0]!), second: addressOf(others[1]!), later: addressOf(others[2]!) }
    watched = [addresses.first, addresses.second]
    await here.dial(multiaddr(addressOf(known)))
    await waitFor(() => expect(here.services.table.size).toBe(1))
    end = watchBootstrap(
      here,
      () => [],
      () => watched,
      { every: (_interval, action) => ((looked = action), () => undefined) },
      () => undefined
    )
    dial = vi.spyOn(here, 'dial').mockRejectedValue(new Error('no route'))
  })
  afterEach(async () => {
    end()
    for (const each of nodes.splice(0)) await each.stop()
  })

  /** Looks `count` times; names those that are dialled, in order. */
  async function look(count: number): Promise<string[]> {
    dial.mockClear()
    for (let each = 0; each < count; each++) {
      looked()
      await Promise.allSettled(dial.mock.results.map(({ value }) => value as Promise<unknown>))
      await setImmediate()
    }
    return dial.mock.calls.map(([address]) => NAMES.find((name) => addresses[name] === String(address))!)
  }

  async function comeBack(): Promise<void> {
    dial.mockReset()
    await first!.dial(multiaddr(node!.getMultiaddrs()[0]!.toString()))
    await waitFor(() => expect(node!.getConnections(first!.peerId)).toHaveLength(1))
  }

  async function cut(): Promise<void> {
    dial.mockRejectedValue(new Error('no route'))
    const peers = [first!, second!]
    for (const { peerId } of peers) for (const each of node!.getConnections(peerId)) each.abort(new Error('cut off'))
    await waitFor(() => {
      for (const peer of peers)
        expect([...node!.getConnections(peer.peerId), ...peer.getConnections(node!.peerId)]).toEqual([])
    })
  }

  it('dials at once, and once, those cut off together when one of them is back, and one a minute till then', async () => {
    expect(new Set(await look(76))).toEqual(new Set(['first', 'second']))
    // Their own next dials come at the 156th look. The first had its turn at the 66th.
    expect(await look(74)).toEqual(['second', 'first'])
    watched.push(addresses.later)
    expect(new Set(await look(16))).toEqual(new Set(NAMES))
    await comeBack()
    expect(await look(1)).toEqual(['second'])
    await cut()
    await look(1)
    await comeBack()
    expect(await look(5)).toEqual([])
  })

  it('dials those of a second cut as those of the first, once they had been back for a minute', async () => {
    await look(76)
    await comeBack()
    expect(await look(32)).toEqual(['second'])
    await cut()
    expect(new Set(await look(6))).toEqual(new Set(['first', 'second']))
    await comeBack()
    expect(await look(1)).toEqual(['second'])
  })

  it('gives turns to those that were just cut off before those that are gone for long', async () => {
    watched = [addresses.later]
    await look(76)
    watched.push(addresses.first, addresses.second)
    // Each of both is dialled three times, and next at the 152nd look.
    await look(65)
    expect(await look(1)).toEqual(['first'])
  })

  it('gives a peer with several addresses one turn for all of them', async () => {
    addresses.later = addresses.first.replace('127.0.0.1', '127.0.0.2')
    watched = [addresses.first, addresses.later, addresses.second]
    await look(65)
    expect(await look(1)).toEqual(['first', 'later'])
    await look(39)
    expect(await look(1)).toEqual(['second'])
  })
})
