/**
 * Real daemons on a wide area of network namespaces, which `chronym-wan` (src/) connects: nodes at public addresses, and
 * homes behind NAT. All are in mode auto but the first node.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { begin, completed, eventually, type Daemon, type Scene } from '../../__test__/e2e/processes.ts'
import { ENDS_WITH_US, makeNamespaces } from '../../__test__/e2e/network/namespaces.ts'
import { firstLine, ROOT, runBeacon } from '../../scripts/program.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import type { NetworkStatusView } from '../../src/views/network.ts'
import { startEmulator, type Emulator } from './emulator.ts'
import {
  connect,
  homeIPv4,
  homeIPv6,
  planOf,
  publicIPv4,
  publicIPv6,
  type Home,
  type Place,
  type Versions,
  type Weather
} from './places.ts'
import { FEW } from './profile.ts'

export interface WideNetwork {
  readonly nodes: readonly Daemon[]
  readonly homes: readonly Daemon[]
  /** Starts one at a spare public address, with the options of its command line. */
  readonly startSpare: (index: number, args: readonly string[]) => Promise<Daemon>
  /** Starts that of a place again, in the directory that it had; `isUpgraded`: from this checkout. */
  readonly startAgain: (index: number, isUpgraded?: boolean) => Promise<Daemon>
  /** Where each node listens by IPv4, for `--bootstrap`. */
  readonly addresses: readonly string[]
  /** Places have the numbers of the nodes, the spare ones, and the homes. */
  readonly emulator: Emulator
  /** Ends the wide area, and gives what its emulator counted. */
  end(): Promise<string>
}

interface Ground {
  /** Nodes at public addresses. */
  readonly count: number
  readonly homes?: readonly Home[]
  readonly weather: Weather
  /** Public addresses at which daemons are started later. */
  readonly spare?: number
  /** Of a node or a spare place; the first needs IPv4. Default: IPv4 alone. */
  readonly versions?: (index: number) => Versions
  readonly profile?: NetworkProfile
  /** Daemons that start at the same time. */
  readonly together?: number
  /** They run from `dist/`. */
  readonly built?: boolean
  /** Another checkout that they run from. */
  readonly root?: string
  /** They serve DNS at DNS_PORT of the host of their API. */
  readonly hasDns?: boolean
  readonly onHome?: (daemon: Daemon, at: number) => void
  readonly onNode?: (daemon: Daemon, at: number) => void
}

export const DNS_PORT = 7453

/** Of one machine with sixty daemons that all begin. */
export const PATIENCE_MS = 900_000

export const statusOf = async (daemon: Daemon): Promise<NetworkStatusView> =>
  (await daemon.request('GET', '/api/network-status')).body as NetworkStatusView

/** What `scene` ends: daemons, the emulator, and then the namespaces. */
export async function startWideNetwork(
  scene: Scene,
  {
    count,
    homes = [],
    weather,
    spare = 0,
    versions = () => 'ipv4',
    profile: numbers = FEW,
    together = 1,
    built = false,
    root = ROOT,
    hasDns = false,
    onHome = () => undefined,
    onNode = () => undefined
  }: Ground
): Promise<WideNetwork> {
  const isPublic = (at: number): boolean => at < count + spare
  const home = (at: number): Home | undefined => homes[at - count - spare]
  const hasIPv6 = (at: number): boolean => (isPublic(at) ? versions(at) !== 'ipv4' : home(at)!.hasIPv6 === true)
  const made = makeNamespaces(count + spare + homes.length, (at) => ({
    addresses: [],
    listen: null,
    hasIPv6: hasIPv6(at)
  }))
  if (made === undefined) throw new Error('this makes network namespaces: run it as root on Linux, with iproute2')
  scene.onEnd(() => made.remove())
  const places = made.places.map(({ surroundings }, at): Place => {
    const namespace = surroundings.within!.at(-1)!
    const [ipv4, ipv6] = isPublic(at)
      ? [publicIPv4(at), publicIPv6(at)]
      : [homeIPv4(at - count - spare), homeIPv6(at - count - spare)]
    return {
      namespace,
      ...(isPublic(at) && versions(at) === 'ipv6' ? {} : { ipv4 }),
      ...(hasIPv6(at) ? { ipv6 } : {}),
      ...(isPublic(at) ? {} : { home: home(at)! })
    }
  })
  const emulator = await startEmulator(scene, planOf(places, weather))
  for (const place of places) connect(place)

  const directory = scene.directory()
  const profile = join(directory, 'profile.json')
  writeFileSync(profile, JSON.stringify(numbers))
  const { url } = await firstLine<{ url: string }>(
    scene.child(runBeacon(['--host', made.ourHost], { within: ENDS_WITH_US }))
  )
  const startedWith: (readonly string[])[] = []
  const start = (at: number, more: readonly string[], from = root): Promise<Daemon> => {
    startedWith[at] = more
    const { surroundings, apiHost } = made.places[at]!
    const own = ['--network', profile, '--data-dir', join(directory, String(at)), '--host', apiHost]
    const dns = hasDns ? ['--dns-listen', `${apiHost}:${DNS_PORT}`] : ['--dns-enabled', 'false']
    const args = [...own, '--beacon-url', url, '--log-level', 'warn', ...dns, ...more]
    return scene.daemon(args, { ...surroundings, listen: null, built, root: from })
  }
  const byIPv4 = `/ip4/${publicIPv4(0)}/tcp/7469`
  const byIPv6 = `/ip6/${publicIPv6(0)}/tcp/7469`
  const announced = [byIPv4, ...(hasIPv6(0) ? [byIPv6] : [])].flatMap((address) => ['--announce', address])
  // In mode auto the first node of a network waits for peers, for twenty seconds.
  const nodes = [await start(0, ['--mode', 'full', ...announced])]
  onNode(nodes[0]!, 0)
  const id = nodes[0]!.summary.peer_id
  const bootstrap = (at: number): string[] => [
    '--bootstrap',
    `${isPublic(at) && versions(at) === 'ipv6' ? byIPv6 : byIPv4}/p2p/${id}`
  ]
  for (let from = 1; from < count; from += together) {
    const batch = Array.from({ length: Math.min(together, count - from) }, (_, index) => from + index)
    await Promise.all(
      batch.map(async (at) => {
        nodes[at] = await start(at, bootstrap(at))
        onNode(nodes[at], at)
      })
    )
  }
  const atHome: Daemon[] = []
  for (const [at, { announces }] of homes.entries()) {
    const named = announces === true ? ['--announce', `/ip4/${homeIPv4(at)}/tcp/7469`] : []
    const daemon = await start(count + spare + at, [...bootstrap(count + spare + at), ...named])
    atHome.push(daemon)
    onHome(daemon, at)
  }
  return {
    nodes,
    homes: atHome,
    startSpare: (index, args) => start(count + index, args),
    startAgain: (index, isUpgraded = false) => start(index, startedWith[index]!, isUpgraded ? ROOT : root),
    addresses: nodes.map(({ summary }, at) => `/ip4/${publicIPv4(at)}/tcp/7469/p2p/${summary.peer_id}`),
    emulator,
    end: () => emulator.end()
  }
}

/** Whether a daemon knows its role: a light one has been told why. */
export function isDecided({ mode, auto }: NetworkStatusView): boolean {
  return mode === 'full' || /cannot reach|No router maps|behind another one/.test(auto ?? '')
}

/** Resolves once they all store: a name registered sooner is with fewer than should hold it. */
export async function allFull(daemons: readonly Daemon[]): Promise<void> {
  await eventually(
    () => Promise.all(daemons.map(statusOf)),
    (all) => all.every(({ mode }) => mode === 'full')
  )
}

/** Registers a name there; resolves once it is published. */
export async function register(daemon: Daemon, name: string): Promise<void> {
  await completed(daemon, await begin(daemon, name), PATIENCE_MS)
}
