/**
 * Real daemons on a wide area that a user-space emulator makes (lab/wan): delays, jitter, loss, slow lines, and homes
 * behind each kind of NAT.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needPackages } from '../../../scripts/packages.ts'
import { allFull, isDecided, register, startWideNetwork, statusOf, type WideNetwork } from '../../wan/network.ts'
import { HOMES } from '../../wan/places.ts'
import { eventually, Scene } from '../../../__test__/e2e/processes.ts'

const WEATHER = { seed: 7, delayMs: [5, 60], jitterMs: 3, lossPerMille: 5, homeRate: 5_000_000 } as const

const scene = new Scene()
let network: WideNetwork
beforeAll(async () => {
  needPackages(['iproute2'])
  network = await startWideNetwork(scene, {
    count: 4,
    homes: HOMES,
    weather: WEATHER,
    versions: (at) => (at < 2 ? 'both' : 'ipv4')
  })
})
afterAll(() => scene.end())

it.each(HOMES.map((home, at) => [home.title, home.mode, at] as const))('%s: a home ends as %s', async (_, mode, at) => {
  // A dial or a router that was late makes it light at first.
  const status = await eventually(
    () => statusOf(network.homes[at]!),
    (now) => (mode === 'full' ? now.mode === 'full' : isDecided(now))
  )
  expect(status.mode).toBe(mode)
})

it('a home behind a symmetric NAT registers and resolves as light', async () => {
  const at = HOMES.findIndex(({ title }) => title === 'symmetric')
  await allFull(network.nodes)
  await register(network.homes[at]!, 'cabin.chronym')
  for (const daemon of [network.nodes[2]!, network.homes[at]!, network.homes[at + 1]!])
    expect((await daemon.request('GET', '/api/resolve/cabin.chronym')).status).toBe(200)
  expect((await statusOf(network.homes[at]!)).mode).toBe('light')
})

it('nobody counts a home that cannot be dialled', async () => {
  const light = network.homes.filter((_, at) => HOMES[at]!.mode === 'light').map(({ summary }) => summary.peer_id)
  const peers = (await network.nodes[0]!.request('GET', '/api/peers')).body as { peer: string; in_table: boolean }[]
  expect(peers.filter(({ in_table: is }) => is).length).toBeGreaterThan(0)
  expect(peers.filter(({ peer, in_table: is }) => is && light.includes(peer))).toEqual([])
})

it('the packets were delayed, lost and refused as planned', async () => {
  const counted = JSON.parse(await network.end()) as Record<string, number>
  expect(counted['sent']).toBeGreaterThan(1_000)
  for (const what of ['delivered', 'lost', 'refused_by_routers']) expect(counted[what]).toBeGreaterThan(0)
})
