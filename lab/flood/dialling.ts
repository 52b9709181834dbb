/**
 * Peers that dial a real daemon, and dial again when they are refused or sent away. The daemon and the peers are
 * processes; this one asks the daemon for its health meanwhile.
 */
import { setTimeout } from 'node:timers/promises'
import { processorSeconds, residentBytes, startFleet } from '../../bench/network/processes.ts'
import { ask, startChild, type End } from './children.ts'
import type { IdlerFigures, IdlerStart } from './messages.ts'
import { FLOOD_PROFILE } from './profile.ts'

const QUIET_MS = 20_000
const HEALTH_EVERY_MS = 100
/** Between two dials of a peer. */
const PAUSE_MS = 1_000
const LOOK_MS = 10_000

interface DiallingOptions {
  readonly peers: number
  /** /24s of 127.0.0.0/8 that they are spread over. */
  readonly prefixes: number
  readonly seconds: number
  /** How long the memory is watched afterwards. */
  readonly afterSeconds: number
}

interface DiallingReport {
  readonly quiet: DiallingFigures
  readonly during: DiallingFigures
  readonly after: DiallingFigures
  readonly idle: IdlerFigures
}

/** Of one phase; milliseconds and bytes. */
export interface DiallingFigures {
  readonly loop_delay_p99_ms: number
  /** Of one core: what the daemon's threads took. The other figures hold what it waited for a core. */
  readonly core_share: number
  readonly health_ms: readonly number[]
  /** One each ten seconds. */
  readonly rss: readonly number[]
  readonly heap: number
  readonly external: number
}

export async function runDialling({
  peers,
  prefixes,
  seconds,
  afterSeconds
}: DiallingOptions): Promise<DiallingReport> {
  const fleet = await startFleet({ profile: FLOOD_PROFILE })
  const ends: End[] = []
  try {
    const [daemon] = await fleet.add(1, 'full')
    const { pid, url, address } = daemon!

    const phase = async (milliseconds: number): Promise<DiallingFigures> => {
      // What is read is what came since the last time.
      await daemon!.metrics()
      const health: number[] = []
      const rss: number[] = []
      const took = processorSeconds(pid)!
      const began = performance.now()
      for (let look = 0; performance.now() - began < milliseconds;) {
        const asked = performance.now()
        if (asked - began >= look * LOOK_MS) {
          rss.push(residentBytes(pid)!)
          look++
        }
        await (await fetch(`${url}/healthz`)).text()
        health.push(performance.now() - asked)
        await setTimeout(HEALTH_EVERY_MS)
      }
      rss.push(residentBytes(pid)!)
      const metrics = await daemon!.metrics()
      return {
        loop_delay_p99_ms: metrics.get('nodejs_eventloop_lag_p99_seconds')! * 1000,
        core_share: (1000 * (processorSeconds(pid)! - took)) / (performance.now() - began),
        health_ms: health,
        rss,
        heap: metrics.get('nodejs_heap_size_used_bytes')!,
        external: metrics.get('nodejs_external_memory_bytes')!
      }
    }

    const quiet = await phase(QUIET_MS)
    const dialler = startChild('idler.ts', ends, {})
    await ask(dialler, { address, connections: peers, ofKey: 1, prefixes, pauseMs: PAUSE_MS } satisfies IdlerStart)
    const during = await phase(seconds * 1000)
    const idle = await ask<IdlerFigures>(dialler, {})
    for (const end of ends.splice(0)) await end()
    return { quiet, during, idle, after: await phase(afterSeconds * 1000) }
  } finally {
    for (const end of ends) await end()
    await fleet.stop()
  }
}
