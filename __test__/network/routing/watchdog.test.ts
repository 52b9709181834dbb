/** How bootstrap peers are dialled, and what is told of those that cannot be reached, with real nodes. */
import { setImmediate } from 'node:timers/promises'
import { multiaddr } from '@multiformats/multiaddr'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
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
  const gone = await startBareNode(2)
  const ofAnother = address.replace(/p2p\/.*/, `p2p/${gone.peerId.toString()}`)
  // A port that was bound until now: any fixed port may have a listener on some machine.
  const closed = address.replace(/tcp\/\d+/, /tcp\/\d+/.exec(gone.getMultiaddrs()[0]!.toString())![0])
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
    for (let count = 1; count <= 100; count++) {
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

it('dials at once, and once, those that were cut off together when one of them is back, and one a minute till then', async () => {
  const nodes: Node[] = []
  for (let key = 6; key <= 10; key++) nodes.push(await startBareNode(key))
  const [node, known, first, second, later] = nodes as [Node, Node, Node, Node, Node]
  try {
    const addressOf = (each: Node): string => each.getMultiaddrs()[0]!.toString()
    await node.dial(multiaddr(addressOf(known)))
    await waitFor(() => expect(node.services.table.size).toBe(1))
    let looked = (): void => undefined
    const addresses = [first, second].map(addressOf)
    watchBootstrap(
      node,
      () => [],
      () => addresses,
      { every: (_interval, action) => ((looked = action), () => undefined) },
      () => undefined
    )
    const dial = vi.spyOn(node, 'dial')
    let dialled: string[] = []
    /** Those that these looks dial. */
    const look = async (count: number): Promise<string[]> => {
      dial.mockClear()
      for (let each = 0; each < count; each++) {
        looked()
        await Promise.allSettled(dial.mock.results.map(({ value }) => value as Promise<unknown>))
        await setImmediate()
      }
      dialled = dial.mock.calls.map(([address]) => String(address))
      return Object.entries({ first, second, later }).flatMap(([name, each]) =>
        dialled.includes(addressOf(each)) ? [name] : []
      )
    }
    const comeBack = async (): Promise<void> => {
      await first.dial(multiaddr(addressOf(node)))
      await waitFor(() => expect(node.getConnections(first.peerId)).toHaveLength(1))
    }
    const cut = async (...peers: Node[]): Promise<void> => {
      for (const { peerId } of peers) for (const each of node.getConnections(peerId)) each.abort(new Error('cut off'))
      await waitFor(() => {
        for (const peer of peers)
          expect([...node.getConnections(peer.peerId), ...peer.getConnections(node.peerId)]).toEqual([])
      })
    }

    dial.mockRejectedValue(new Error('no route'))
    expect(await look(76)).toEqual(['first', 'second'])
    // Their own next dials come at the 156th look. The first had its turn at the 66th.
    await look(74)
    expect(dialled).toEqual(addresses.toReversed())
    addresses.push(addressOf(later))
    expect(await look(16)).toEqual(['first', 'second', 'later'])
    dial.mockReset()
    await comeBack()
    expect(await look(1)).toEqual(['second'])
    await cut(first, second)
    await look(1)
    await comeBack()
    expect(await look(5)).not.toContain('second')
  } finally {
    for (const each of nodes) await each.stop()
  }
})
