/** Daemons as separate processes on loopback, with one beacon. */
import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end, firstLine, passErrorsOn, runDaemon, type DaemonSummary } from '../../scripts/program.ts'
import { startDevBeacon } from '../../src/beacon/dev-beacon.ts'
import type { NetworkStatusView } from '../../src/views/network.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { PROFILE } from './profile.ts'
import { endWithUs, scratchDirectory } from './scratch.ts'
import { until } from './waiting.ts'

/** Daemons that start at the same time: each takes a core for a second. */
const STARTED_TOGETHER = 2
const READY_POLL_MS = 20
/** What the systemd unit sets. */
const AS_A_SERVICE = { NODE_OPTIONS: '--max-semi-space-size=4' }

interface FleetDaemon {
  readonly pid: number
  readonly url: string
  /** Multiaddr with peer id. */
  readonly address: string
  readonly status: () => Promise<NetworkStatusView>
  /** From the start of the process until /readyz says yes, milliseconds; undefined for the first, which has no peers. */
  readonly readyMs: number | undefined
  /** /metrics of this daemon: value by name, without labels. */
  readonly metrics: () => Promise<ReadonlyMap<string, number>>
}

export interface Fleet {
  readonly daemons: readonly FleetDaemon[]
  readonly beaconUrl: string
  add(count: number, mode: 'full' | 'light'): Promise<FleetDaemon[]>
  stop(): Promise<void>
}

interface FleetOptions {
  readonly profile?: NetworkProfile
  /** Run from `dist/`, as the package is. */
  readonly built?: boolean
  /** How many start at the same time; 2 by default. */
  readonly together?: number
}

export async function startFleet({
  profile: numbers = PROFILE,
  built = false,
  together: most = STARTED_TOGETHER
}: FleetOptions = {}): Promise<Fleet> {
  const directory = scratchDirectory()
  const profile = join(directory, 'profile.json')
  writeFileSync(profile, JSON.stringify(numbers))
  const beacon = await startDevBeacon({ host: '127.0.0.1', port: 0, profileBeacon: numbers.beacon })
  const daemons: FleetDaemon[] = []
  const children: ChildProcess[] = []

  const start = async (mode: string): Promise<FleetDaemon> => {
    const common = ['--beacon-url', beacon.url, '--log-level', 'error']
    const bootstrap = daemons[0] === undefined ? [] : ['--bootstrap', daemons[0].address]
    const args = [
      ...common,
      ...bootstrap,
      '--network',
      profile,
      '--mode',
      mode,
      '--data-dir',
      join(directory, String(children.length))
    ]
    const startedAt = performance.now()
    const child = runDaemon(args, { built, environment: AS_A_SERVICE })
    children.push(child)
    endWithUs(child)
    passErrorsOn(child)
    const { api_url: url, addresses, token_file: tokenFile } = await firstLine<DaemonSummary>(child)
    if (bootstrap.length > 0)
      await until('a daemon is ready', async () => (await fetch(`${url}/readyz`)).ok, { everyMs: READY_POLL_MS })
    return {
      pid: child.pid!,
      url,
      address: addresses[0]!,
      status: async () => (await (await fetch(`${url}/api/network-status`)).json()) as NetworkStatusView,
      readyMs: bootstrap.length > 0 ? performance.now() - startedAt : undefined,
      async metrics() {
        const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` }
        const text = await (await fetch(`${url}/metrics`, { headers })).text()
        return new Map([...text.matchAll(/^(\w+) (\S+)$/gm)].map(([, name, value]) => [name!, Number(value)]))
      }
    }
  }

  return {
    daemons,
    beaconUrl: beacon.url,
    async add(count, mode) {
      const added: FleetDaemon[] = []
      while (added.length < count) {
        const together = daemons.length === 0 ? 1 : Math.min(most, count - added.length)
        const started = await Promise.all(Array.from({ length: together }, () => start(mode)))
        added.push(...started)
        daemons.push(...started)
      }
      const others = daemons.length - 1
      await until(`each of ${count} daemons has ${others} peers`, async () =>
        (await Promise.all(added.map(({ status }) => status()))).every(({ peers }) => peers >= others)
      )
      return added
    },
    async stop() {
      await Promise.all(children.map((child) => end(child, 'SIGTERM')))
      await beacon.close()
    }
  }
}

/** Resident memory, bytes; undefined where /proc does not say. */
export function residentBytes(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

/** Time on a core of all its threads, seconds; undefined where /proc does not say. Threads that ended do not count. */
export function processorSeconds(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  // Nanoseconds. The ticks of /proc/PID/stat are samples, and too coarse for a daemon that works for milliseconds.
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => sum + schedulerSeconds(`/proc/${pid}/task/${thread}/schedstat`), 0)
}

function schedulerSeconds(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e9
  } catch {
    // It ended since it was listed.
    return 0
  }
}
