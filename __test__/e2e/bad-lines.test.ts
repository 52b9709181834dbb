/** A home on an emulated wide area (bench/wan) whose provider gives it another address, and whose line stalls. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needPackages } from '../../scripts/packages.ts'
import { register, startWideNetwork, type WideNetwork } from '../../bench/wan/network.ts'
import { eventually, Scene, type Daemon } from './processes.ts'

const NODES = 4
/** Its number in the emulator's plan. */
const HOME = NODES
const [FIRST, SECOND, THIRD] = ['first.chronym', 'second.chronym', 'third.chronym'] as const

const scene = new Scene()
let network: WideNetwork
let home: Daemon

const resolve = async (name: string): Promise<number> => (await home.request('GET', `/api/resolve/${name}`)).status

beforeAll(async () => {
  needPackages(['iproute2'])
  network = await startWideNetwork(scene, {
    count: NODES,
    homes: [{ title: 'home', nats: ['port-restricted'], mode: 'light' }],
    weather: { seed: 3, delayMs: [20, 60], jitterMs: 3, lossPerMille: 5, homeRate: 5_000_000 }
  })
  home = network.homes[0]!
  for (const name of [FIRST, SECOND, THIRD]) await register(network.nodes[1]!, name)
  await eventually(
    () => resolve(FIRST),
    (status) => status === 200
  )
}, 280_000)
afterAll(() => scene.end())

it('a home whose address changes resolves at the first question, though all its connections are dead', async () => {
  await network.emulator.command(`move ${HOME} 46.99.7.2`)
  expect(await resolve(SECOND)).toBe(200)
})

it('a line that stalls for 20 s stops neither a registration nor what is asked after it', async () => {
  const registering = register(home, 'cabin.chronym')
  await network.emulator.command(`stall ${HOME} 20`)
  await registering
  expect(await resolve(THIRD)).toBe(200)
})
