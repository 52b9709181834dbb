/** With every core squaring: how quickly the daemon answers another process, and how long its event loop is blocked. */
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startDaemon, type BenchDaemon } from './daemon.ts'

/** Enough squarings that no evaluation ends while it is measured. */
const ITERATIONS = 10 ** 11
const REQUESTS_PER_SECOND = 100
/** Threads start and slices find their length. */
const WARM_UP_MS = 3_000

export interface Neighbour {
  readonly evaluations: number
  readonly requests: number
  readonly api_p50_ms: number
  readonly api_p99_ms: number
  readonly api_max_ms: number
  /** As perf_hooks' monitorEventLoopDelay says it: its own interval of 10 ms is part of it. */
  readonly loop_delay_p99_ms: number
  readonly loop_delay_max_ms: number
  readonly squarings_per_second: number
}

export async function measureNeighbour(seconds: number): Promise<Neighbour> {
  const evaluations = availableParallelism()
  const daemon = await startDaemon(ITERATIONS, evaluations)
  try {
    for (let index = 0; index < evaluations; index++) await daemon.client.register(`neighbour-${index}.chronym`)
    while (!(await daemon.client.tasks()).every((task) => task.phase === 'evaluate')) await delay(100)
    await delay(WARM_UP_MS)
    await metric(daemon, 'nodejs_eventloop_lag_p99_seconds') // reading resets it
    const latencies = await loadFrom(daemon, seconds)
    const text = await daemon.client.metrics()
    return {
      evaluations,
      requests: latencies.length,
      api_p50_ms: percentile(latencies, 0.5),
      api_p99_ms: percentile(latencies, 0.99),
      api_max_ms: percentile(latencies, 1),
      loop_delay_p99_ms: rounded(1000 * valueIn(text, 'nodejs_eventloop_lag_p99_seconds')),
      loop_delay_max_ms: rounded(1000 * valueIn(text, 'nodejs_eventloop_lag_max_seconds')),
      squarings_per_second: valueIn(text, 'chronym_squarings_per_second')
    }
  } finally {
    await daemon.stop()
  }
}

async function loadFrom(daemon: BenchDaemon, seconds: number): Promise<number[]> {
  const args = [
    join(import.meta.dirname, 'load.ts'),
    `${daemon.url}/api/network-status`,
    String(REQUESTS_PER_SECOND),
    String(seconds)
  ]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 })
  return JSON.parse(stdout) as number[]
}

async function metric(daemon: BenchDaemon, name: string): Promise<number> {
  return valueIn(await daemon.client.metrics(), name)
}

function valueIn(metrics: string, name: string): number {
  const line = metrics.split('\n').find((each) => each.startsWith(`${name} `))
  if (line === undefined) throw new Error(`the daemon has no metric ${name}`)
  return Number(line.slice(name.length + 1))
}

/** `sorted`: ascending. */
function percentile(sorted: readonly number[], share: number): number {
  return rounded(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!)
}

function rounded(ms: number): number {
  return Number(ms.toFixed(2))
}
