/**
 * An emulated wide area (lab/wan): a home whose provider gives it another address, and whose line stalls; and machines
 * of which one version of IP is half dead.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needPackages } from '../../../scripts/packages.ts'
import { publicIPv6 } from '../../wan/places.ts'
import type { PeerView } from '../../../src/views/network.ts'
import { allFull, register, startWideNetwork, type WideNetwork } from '../../wan/network.ts'
import { eventually, Scene, type Daemon } from '../../../__test__/e2e/processes.ts'

const NODES = 4
/** Numbers in the emulator's plan: after the nodes come the spare places, then the home. */
const HALF_DEAD = [NODES, NODES + 1] as const
const HOME = NODES + HALF_DEAD.length
const NAMES = ['first.chronym', 'second.chronym', 'third.chronym', 'fourth.chronym'] as const
const [FIRST, SECOND, THIRD, FOURTH] = NAMES

const scene = new Scene()
let network: WideNetwork
let home: Daemon

const resolve = async (name: string): Promise<number> => (await home.request('GET', `/api/resolve/${name}`)).status

beforeAll(async () => {
  needPackages(['iproute2'])
  network = await startWideNetwork(scene, {
    count: NODES,
    together: NODES,
    spare: HALF_DEAD.length,
    versions: () => 'both',
    homes: [{ title: 'home', nats: ['port-restricted'], mode: 'light' }],
    weather: { seed: 3, delayMs: [20, 60], jitterMs: 3, lossPerMille: 5, homeRate: 5_000_000 }
  })
  home = network.homes[0]!
  await allFull(network.nodes)
  await Promise.all(NAMES.map((name) => register(network.nodes[1]!, name)))
  await eventually(
    () => resolve(FIRST),
    (status) => status === 200
  )
})
afterAll(() => scene.end())

it('a home whose address changes resolves at the first question, though all its connections are dead', async () => {
  await network.emulator.command(`move ${HOME} 46.99.7.2`)
  expect(await resolve(SECOND)).toBe(200)
})

it.each([
  ['ipv4', 'opens connections, and nothing follows', 100, (prefix: string) => prefix.endsWith('/48')],
  ['ipv6', 'opens no connection', 0, (prefix: string) => prefix.endsWith('/24')]
] as const)('a machine whose %s %s joins and resolves by the other version', async (version, _, longest, isOther) => {
  const index = version === 'ipv4' ? 0 : 1
  await network.emulator.command(`vanish ${HALF_DEAD[index]} ${version} ${longest}`)
  const id = network.nodes[0]!.summary.peer_id
  const bootstrap = [network.addresses[0]!, `/ip6/${publicIPv6(0)}/tcp/7469/p2p/${id}`]
  const daemon = await network.startSpare(index, [
    '--mode',
    'light',
    ...bootstrap.flatMap((address) => ['--bootstrap', address])
  ])
  await eventually(
    async () => (await daemon.request('GET', `/api/resolve/${THIRD}`)).status,
    (status) => status === 200
  )
  // A peer has no prefix until it has said who it is.
  await eventually(
    async () => {
      const peers = (await daemon.request('GET', '/api/peers')).body as PeerView[]
      return peers.flatMap(({ prefix, connection }) => (connection?.direction === 'outbound' ? [prefix] : []))
    },
    (prefixes) => prefixes.length > 1 && prefixes.every((prefix) => prefix !== null && isOther(prefix))
  )
})

it('a line that stalls for 20 s stops neither a registration nor what is asked during and after it', async () => {
  const registering = register(home, 'cabin.chronym')
  await network.emulator.command(`stall ${HOME} 20`)
  // As long as all questions of a first attempt take.
  expect(await resolve(FOURTH)).toBe(200)
  await registering
  expect(await resolve(THIRD)).toBe(200)
})
