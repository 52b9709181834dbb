/**
 * Real daemons in mode auto but the first: three at public addresses, and homes behind routers that map ports by NAT-PMP,
 * by UPnP or not at all, one behind two routers, and one that only IPv6 lets in. miniupnpd and the kernel's NAT are the
 * real ones.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needPackages } from '../../scripts/packages.ts'
import { firstLine, runBeacon } from '../../scripts/program.ts'
import { test } from '../../src/protocol/profile/built-in.ts'
import type { NetworkStatusView } from '../../src/views/network.ts'
import { joinHome, LAN_IPV6, mappedPorts, type RouterKind } from './network/homes.ts'
import { makeNamespaces } from './network/namespaces.ts'
import type { Places } from './network/places.ts'
import { eventually, register, Scene, type Daemon } from './processes.ts'

/** Public, with a small k, so that three nodes are a network. */
const PROFILE = {
  ...test,
  id: 'homes',
  scope: 'public',
  difficulty: { base: 1_100_000, by_length: [{ from: 1, factor: 1 }] },
  stamp_bits: 6,
  contest: 1,
  k: 3,
  witness_quorum: 2,
  repair_quorum: 2,
  answers_per_prefix: 2,
  answers_per_wide_prefix: 4
}

const PUBLIC = 3
/** Their routers come after the public nodes, then they themselves. The address of the last router is no public one. */
const HOMES: readonly { readonly router: RouterKind; readonly wan: string }[] = [
  { router: 'nat-pmp', wan: '45.70.7.2' },
  { router: 'upnp', wan: '45.71.7.2' },
  { router: 'none', wan: '45.72.7.2' },
  { router: 'nat-pmp', wan: '100.64.7.2' },
  { router: 'pcp', wan: '100.64.7.3' }
]
const [BY_PMP, BY_UPNP, CLOSED, SHARED, BY_PCP] = [0, 1, 2, 3, 4] as const
const publicAddress = (index: number): string => `45.${40 + index}.7.2`
const routerOf = (home: number): number => PUBLIC + home
const machineOf = (home: number): number => PUBLIC + HOMES.length + home

const scene = new Scene()
const nodes: Daemon[] = []
const homes: Daemon[] = []
let places: Places

const status = async (daemon: Daemon): Promise<NetworkStatusView> =>
  (await daemon.request('GET', '/api/network-status')).body as NetworkStatusView

beforeAll(async () => {
  needPackages(['iproute2', 'nftables', 'miniupnpd-nftables'])
  const addressesOf = (index: number): string[] => {
    // All are on one wire: carriers' shared addresses lead to the public ones without a second router.
    if (index < PUBLIC) return [`${publicAddress(index)}/8`, `100.64.0.${index + 10}/16`, `2a${40 + index}::2/8`]
    if (index >= machineOf(0)) return []
    const { wan, router } = HOMES[index - PUBLIC]!
    return [`${wan}/${wan.startsWith('100.') ? 16 : 8}`, ...(router === 'pcp' ? ['2a6f::2/8'] : [])]
  }
  const made = makeNamespaces(PUBLIC + 2 * HOMES.length, (index) => ({
    addresses: addressesOf(index),
    listen: null,
    hasIPv6: index < PUBLIC || index === routerOf(BY_PCP) || index === machineOf(BY_PCP)
  }))
  if (made === undefined) throw new Error('this test makes network namespaces: run it as root, with iproute2')
  places = made
  scene.onEnd(() => places.remove())
  const directory = scene.directory()
  for (const { surroundings } of places.places.slice(0, PUBLIC)) {
    const [program, ...before] = surroundings.within!
    execFileSync(program!, [...before, 'ip', '-6', 'route', 'add', LAN_IPV6.network, 'via', '2a6f::2'])
  }
  for (const [home, { router }] of HOMES.entries()) {
    const upnpd = joinHome(places.places[routerOf(home)]!, places.places[machineOf(home)]!, router, directory)
    if (upnpd !== undefined) scene.child(upnpd)
  }
  const profile = join(directory, 'profile.json')
  writeFileSync(profile, JSON.stringify(PROFILE))
  const { url } = await firstLine<{ url: string }>(scene.child(runBeacon(['--host', places.ourHost])))
  const start = (at: number, more: readonly string[]): Promise<Daemon> => {
    const { surroundings, apiHost } = places.places[at]!
    const own = ['--network', profile, '--data-dir', join(directory, String(at)), '--host', apiHost]
    const args = [...own, '--beacon-url', url, '--log-level', 'warn', '--dns-enabled', 'false', ...more]
    return scene.daemon(args, { ...surroundings, listen: null })
  }
  const addressOf = (index: number): string => `/ip4/${publicAddress(index)}/tcp/7469`
  nodes[0] = await start(0, ['--mode', 'full', '--announce', addressOf(0)])
  const bootstrap = ['--bootstrap', `${addressOf(0)}/p2p/${nodes[0].summary.peer_id}`]
  for (let index = 1; index < PUBLIC; index++) nodes[index] = await start(index, bootstrap)
  for (const home of HOMES.keys()) homes[home] = await start(machineOf(home), bootstrap)
})

afterAll(() => scene.end())

it.each([
  ['NAT-PMP', BY_PMP],
  ['UPnP', BY_UPNP]
])('a home whose router maps ports by %s is reached there, and full', async (_, home) => {
  const reached = `/ip4/${HOMES[home]!.wan}/tcp/7469`
  // While it meets peers of further prefixes, it waits for their word too, and is full as before.
  // What is said of addresses may be a second older.
  const { mode, addresses } = await eventually(
    () => status(homes[home]!),
    ({ auto, addresses: [first] }) =>
      auto === `Full: peers of other prefixes reach it at ${reached}.` && first?.state === 'announced'
  )
  expect(mode).toBe('full')
  expect(addresses[0]!.address).toContain(`${reached}/p2p/`)
  expect(mappedPorts(places.places[routerOf(home)]!)).toEqual(['7469'])
})

it('a home whose router maps nothing is light, knows why, and registers and resolves', async () => {
  const { mode, auto } = await eventually(
    () => status(homes[CLOSED]!),
    (now) => now.auto!.includes('UPnP: no answer')
  )
  expect(mode).toBe('light')
  expect(auto).toMatch(/^Light: it has no address .* Open TCP port 7469 in the firewall/)
  await register(homes[CLOSED]!, 'cabin.chronym')
  for (const daemon of [nodes[1]!, homes[BY_PMP]!, homes[CLOSED]!])
    expect((await daemon.request('GET', '/api/resolve/cabin.chronym')).status).toBe(200)
})

it('a home whose router has no public address is light, since that router maps nothing', async () => {
  const { mode } = await eventually(
    () => status(homes[SHARED]!),
    (now) => now.peers > 0 && now.auto!.includes('(NAT-PMP: no address yet; UPnP: no answer)')
  )
  expect(mode).toBe('light')
})

it('a home that shares its IPv4 address is reached by IPv6, which its router lets in by PCP, and full', async () => {
  const reached = `/ip6/${LAN_IPV6.machine}/tcp/7469`
  const { mode } = await eventually(
    () => status(homes[BY_PCP]!),
    ({ auto }) => auto === `Full: peers of other prefixes reach it at ${reached}.`
  )
  expect(mode).toBe('full')
  expect(mappedPorts(places.places[routerOf(BY_PCP)]!)).toEqual(['7469'])
})

it('a daemon that ends takes its mapping along', async () => {
  for (const home of [BY_PMP, BY_UPNP, BY_PCP]) {
    await homes[home]!.signal('SIGTERM')
    expect(mappedPorts(places.places[routerOf(home)]!)).toEqual([])
  }
})
