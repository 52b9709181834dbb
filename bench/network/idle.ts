/** What an idle daemon takes, as the package runs it with the numbers of `main`: memory, time of a core, its start. */
import { setTimeout as delay } from 'node:timers/promises'
import { median } from '../statistics.ts'
import { buildDist } from './dist.ts'
import { processorSeconds, residentBytes, startFleet } from './processes.ts'
import { MAIN_WITH_DEV_BEACON } from './profile.ts'
import { say } from './scratch.ts'

/** Pause after the start: V8 collects what the start left within four minutes. */
const SETTLE_SECONDS = 240

interface Spread {
  readonly median: number
  readonly most: number
}

export interface Idle {
  readonly daemons: number
  /** Of the beacon: a pulse is fetched and verified each time. */
  readonly round_seconds: number
  /** From the start of the process until /readyz says yes, each daemon alone. */
  readonly ready_seconds: Spread
  readonly resident_mib: Spread
  /** Of `resident_mib`: V8's heap of the main thread, and what JavaScript holds outside of it. */
  readonly heap_mib: Spread
  readonly external_mib: Spread
  /** Of one core. */
  readonly core_share: Spread
}

/** Undefined without /proc. */
export async function measureIdle(count: number, seconds: number): Promise<Idle | undefined> {
  if (process.platform !== 'linux') return undefined
  buildDist()
  const fleet = await startFleet({ profile: MAIN_WITH_DEV_BEACON, built: true, together: 1 })
  try {
    say(`starting ${count} daemons, one after the other`)
    const daemons = await fleet.add(count, 'full')
    say(`leaving them alone for ${SETTLE_SECONDS + seconds} s`)
    await delay(SETTLE_SECONDS * 1000)
    const before = daemons.map(({ pid }) => processorSeconds(pid)!)
    const began = performance.now()
    await delay(seconds * 1000)
    const elapsed = (performance.now() - began) / 1000
    const shares = daemons.map(({ pid }, index) => (processorSeconds(pid)! - before[index]!) / elapsed)
    const resident = daemons.map(({ pid }) => residentBytes(pid)!)
    const metrics = await Promise.all(daemons.map((daemon) => daemon.metrics()))
    const gauge = (name: string): number[] => metrics.map((values) => values.get(name)!)
    return {
      daemons: count,
      round_seconds: MAIN_WITH_DEV_BEACON.beacon.period,
      ready_seconds: spread(
        daemons.flatMap(({ readyMs }) => (readyMs === undefined ? [] : [readyMs / 1000])),
        2
      ),
      resident_mib: spread(inMib(resident), 1),
      heap_mib: spread(inMib(gauge('nodejs_heap_size_total_bytes')), 1),
      external_mib: spread(inMib(gauge('nodejs_external_memory_bytes')), 1),
      core_share: spread(shares, 4)
    }
  } finally {
    await fleet.stop()
  }
}

const inMib = (bytes: readonly number[]): number[] => bytes.map((count) => count / 2 ** 20)

function spread(figures: readonly number[], digits: number): Spread {
  return { median: Number(median(figures).toFixed(digits)), most: Number(Math.max(...figures).toFixed(digits)) }
}
