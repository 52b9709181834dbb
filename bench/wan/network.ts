/**
 * Real daemons in mode auto on a wide area of network namespaces, which `chronym-wan` (src/) connects: nodes at public
 * addresses, each in its own /16, and homes behind NAT.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, type Daemon, type Scene } from '../../__test__/e2e/processes.ts'
import { makeNamespaces } from '../../__test__/e2e/network/namespaces.ts'
import { firstLine, runBeacon } from '../../scripts/program.ts'
import { test } from '../../src/protocol/profile/built-in.ts'
import type { NetworkStatusView } from '../../src/views/network.ts'
import { build } from '../build.ts'

type NatKind = 'full-cone' | 'port-restricted' | 'symmetric'

export interface Home {
  readonly title: string
  /** From the home outwards; the last has a public address, those before it one that a carrier shares. */
  readonly nats: readonly NatKind[]
  /** Its own router answers NAT-PMP, or its outermost one forwards the port to it; default: neither. */
  readonly router?: 'maps' | 'forwards'
  /** `--announce` names the public address. */
  readonly announces?: true
  readonly mode: 'full' | 'light'
}

/** Every kind that the emulator knows, with the mode that a daemon behind it must end in. */
export const HOMES: readonly Home[] = [
  { title: 'full cone', nats: ['full-cone'], mode: 'light' },
  { title: 'port restricted, NAT-PMP', nats: ['port-restricted'], router: 'maps', mode: 'full' },
  { title: 'port restricted, forwarded', nats: ['port-restricted'], router: 'forwards', announces: true, mode: 'full' },
  { title: 'port restricted, only named', nats: ['port-restricted'], announces: true, mode: 'light' },
  { title: 'symmetric', nats: ['symmetric'], mode: 'light' },
  { title: 'symmetric, NAT-PMP', nats: ['symmetric'], router: 'maps', mode: 'full' },
  { title: 'carrier-grade, NAT-PMP at home', nats: ['port-restricted', 'symmetric'], router: 'maps', mode: 'light' }
]

export interface Weather {
  readonly seed: number
  /** One way, drawn for each pair of places. */
  readonly delayMs: readonly [number, number]
  readonly jitterMs: number
  readonly lossPerMille: number
  /** What a home sends at most, bits a second. */
  readonly homeRate: number
}

export interface WideNetwork {
  readonly nodes: readonly Daemon[]
  readonly homes: readonly Daemon[]
  /** Starts one at a spare public address, with the options of its command line. */
  readonly startSpare: (index: number, args: readonly string[]) => Promise<Daemon>
  /** Where each node listens, for `--bootstrap`. */
  readonly addresses: readonly string[]
  /** Ends the wide area, and gives what its emulator counted. */
  end(): Promise<string>
}

/** Public, with a k that a few nodes fill. */
const PROFILE = {
  ...test,
  id: 'wide-area',
  scope: 'public',
  difficulty: { base: 1_100_000, by_length: [{ from: 1, factor: 1 }] },
  stamp_bits: 6,
  contest: 1,
  k: 4,
  witness_quorum: 2,
  repair_quorum: 3,
  answers_per_prefix: 2,
  answers_per_wide_prefix: 4
}

const publicAddress = (index: number): string => `45.${40 + index}.7.2`
const homeAddress = (index: number): string => `46.${40 + index}.7.2`
const AT_HOME = '192.168.1.2'

export const statusOf = async (daemon: Daemon): Promise<NetworkStatusView> =>
  (await daemon.request('GET', '/api/network-status')).body as NetworkStatusView

interface Ground {
  /** Nodes at public addresses. */
  readonly count: number
  readonly homes?: readonly Home[]
  readonly weather: Weather
  /** Public addresses at which daemons are started later. */
  readonly spare?: number
  readonly onHome?: (daemon: Daemon, at: number) => void
}

/** What `scene` ends: daemons, the emulator, and then the namespaces. */
export async function startWideNetwork(
  scene: Scene,
  { count, homes = [], weather, spare = 0, onHome = () => undefined }: Ground
): Promise<WideNetwork> {
  const emulator = await build({ folder: 'wan', name: 'chronym-wan', variant: 'plain' })
  const made = makeNamespaces(count + spare + homes.length, () => ({ addresses: [], listen: null, hasIPv6: false }))
  if (made === undefined) throw new Error('this makes network namespaces: run it as root on Linux, with iproute2')
  scene.onEnd(() => made.remove())
  const directory = scene.directory()
  const namespaceOf = (at: number): string => made.places[at]!.surroundings.within!.at(-1)!

  const natsOf = ({ nats }: Home, index: number): string =>
    nats.map((kind, at) => `nat ${kind} ${at === nats.length - 1 ? homeAddress(index) : `100.64.${index}.2`}`).join(' ')
  const plan = join(directory, 'plan')
  const lines = [
    `seed ${weather.seed}`,
    `delay ${weather.delayMs.join(' ')}`,
    `jitter ${weather.jitterMs}`,
    `loss ${weather.lossPerMille}`,
    ...Array.from({ length: count + spare }, (_, at) => `place ${namespaceOf(at)} ${publicAddress(at)}`),
    ...homes.map(
      (home, at) =>
        `place ${namespaceOf(count + spare + at)} ${AT_HOME} rate ${weather.homeRate} ` +
        `${home.router === 'maps' ? 'pmp ' : ''}${natsOf(home, at)}` +
        (home.router === 'forwards' ? ' forward 7469' : '')
    )
  ]
  writeFileSync(plan, lines.join('\n'))
  const running = scene.child(spawn(emulator, [plan], { stdio: ['pipe', 'pipe', 'inherit'] }))
  await once(running.stdout, 'data')
  for (let at = 0; at < count + spare + homes.length; at++) {
    const ip = (...args: string[]): unknown => execFileSync('ip', ['-n', namespaceOf(at), ...args])
    const isHome = at >= count + spare
    ip('addr', 'add', isHome ? `${AT_HOME}/24` : `${publicAddress(at)}/32`, 'dev', 'wan')
    ip('link', 'set', 'wan', 'up')
    ip('route', 'add', 'default', ...(isHome ? ['via', '192.168.1.1'] : []), 'dev', 'wan')
  }

  const profile = join(directory, 'profile.json')
  writeFileSync(profile, JSON.stringify(PROFILE))
  const { url } = await firstLine<{ url: string }>(scene.child(runBeacon(['--host', made.ourHost])))
  const start = (at: number, more: readonly string[]): Promise<Daemon> => {
    const { surroundings, apiHost } = made.places[at]!
    const own = ['--network', profile, '--data-dir', join(directory, String(at)), '--host', apiHost]
    const args = [...own, '--beacon-url', url, '--log-level', 'warn', '--dns-enabled', 'false', ...more]
    return scene.daemon(args, { ...surroundings, listen: null })
  }
  const first = `/ip4/${publicAddress(0)}/tcp/7469`
  const nodes = [await start(0, ['--announce', first])]
  await eventually(
    () => statusOf(nodes[0]!),
    ({ mode }) => mode === 'full'
  )
  const bootstrap = ['--bootstrap', `${first}/p2p/${nodes[0]!.summary.peer_id}`]
  for (let at = 1; at < count; at++) nodes.push(await start(at, bootstrap))
  const atHome: Daemon[] = []
  for (const [at, { announces }] of homes.entries()) {
    const named = announces === true ? ['--announce', `/ip4/${homeAddress(at)}/tcp/7469`] : []
    const daemon = await start(count + spare + at, [...bootstrap, ...named])
    atHome.push(daemon)
    onHome(daemon, at)
  }
  return {
    nodes,
    homes: atHome,
    startSpare: (index, args) => start(count + index, args),
    addresses: nodes.map(({ summary }, at) => `/ip4/${publicAddress(at)}/tcp/7469/p2p/${summary.peer_id}`),
    async end() {
      const counted = once(running.stdout, 'data')
      running.stdin.end()
      return String((await counted)[0]).trim()
    }
  }
}

/** Whether a daemon knows its role: a light one has been told why. */
export function isDecided({ mode, auto }: NetworkStatusView): boolean {
  return mode === 'full' || /cannot reach|No router maps|behind another one/.test(auto ?? '')
}

/** Registers a name there; resolves once it is published. */
export async function register(daemon: Daemon, name: string): Promise<void> {
  const { body } = await eventually(
    () => daemon.request('POST', '/api/vdf/register', { name }),
    ({ status }) => status === 202
  )
  await eventually(
    async () => (await daemon.request('GET', `/api/vdf/status/${String(body.task_id)}`)).body as { status: string },
    ({ status }) => status === 'completed'
  )
}
