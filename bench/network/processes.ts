/** Daemons as separate processes on loopback, with one beacon. */
import type { ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end, firstLine, passErrorsOn, runDaemon, type DaemonSummary } from '../../scripts/program.ts'
import { startDevBeacon } from '../../src/beacon/dev-beacon.ts'
import type { NetworkStatusView } from '../../src/views/network-status.ts'
import { PROFILE } from './profile.ts'
import { endWithUs, scratchDirectory } from './scratch.ts'
import { until } from './waiting.ts'

/** Daemons that start at the same time: each takes a core for a second. */
const STARTED_TOGETHER = 2

export interface FleetDaemon {
  readonly pid: number
  readonly url: string
  /** Multiaddr with peer id. */
  readonly address: string
  readonly status: () => Promise<NetworkStatusView>
}

export interface Fleet {
  readonly daemons: readonly FleetDaemon[]
  readonly beaconUrl: string
  add(count: number, mode: 'full' | 'light'): Promise<FleetDaemon[]>
  stop(): Promise<void>
}

export async function startFleet(): Promise<Fleet> {
  const directory = scratchDirectory()
  const profile = join(directory, 'profile.json')
  writeFileSync(profile, JSON.stringify(PROFILE))
  const beacon = await startDevBeacon({ host: '127.0.0.1', port: 0, profileBeacon: PROFILE.beacon })
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
    const child = runDaemon(args)
    children.push(child)
    endWithUs(child)
    passErrorsOn(child)
    const { api_url: url, addresses } = await firstLine<DaemonSummary>(child)
    const status = async (): Promise<NetworkStatusView> =>
      (await (await fetch(`${url}/api/network-status`)).json()) as NetworkStatusView
    return { pid: child.pid!, url, address: addresses[0]!, status }
  }

  return {
    daemons,
    beaconUrl: beacon.url,
    async add(count, mode) {
      const added: FleetDaemon[] = []
      while (added.length < count) {
        const together = daemons.length === 0 ? 1 : Math.min(STARTED_TOGETHER, count - added.length)
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

/** User and system time taken, seconds; undefined where /proc does not say. */
export function processorSeconds(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  // After the name, which may hold anything: fields 14 and 15 of proc(5), in ticks of 1/100 s.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
