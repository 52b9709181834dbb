/** What is told of bootstrap peers that cannot be reached, with real nodes. */
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Node } from '../../src/network/node.ts'
import { watchBootstrap } from '../../src/network/watchdog.ts'
import { startBareNode } from './bare-node.ts'
import { waitFor } from '../wait-for.ts'

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
  const closed = address.replace(/tcp\/\d+/, 'tcp/1')
  const ofAnother = address.replace(/p2p\/.*/, `p2p/${(await startBareNode(2).then(async (node) => (await node.stop(), node))).peerId.toString()}`)
  let look = (): void => undefined
  const timers = { every: (_interval: number, action: () => void) => ((look = action), () => undefined) }
  const told: string[][] = []
  let addresses = [closed, ofAnother]
  watchBootstrap(alone!, () => addresses, timers, (...each) => told.push(each))
  look()
  await waitFor(() => expect(told).toHaveLength(2))
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
