/** Readings of /metrics over time, for graphs. Pure. */
import type { Line } from '../parts/graph.ts'
import { rate, total, type Labels, type Metrics } from './metrics-text.ts'

export interface Series {
  readonly id: string
  readonly title: string
  readonly unit?: string
  /** A counter, shown as growth a second. */
  readonly isRate?: boolean
  readonly of: (metrics: Metrics) => number | undefined
}

export interface Reading {
  readonly atMs: number
  /** By the ids of series. */
  readonly values: Readonly<Record<string, number | undefined>>
}

/** Half an hour at one reading in five seconds. */
const MAX_READINGS = 360

const isDashboard = (labels: Labels): boolean => labels['route'] === '/metrics'

/** What each graph shows. */
export const SERIES: readonly Series[] = [
  { id: 'peers', title: 'Connected peers', of: (metrics) => total(metrics, 'chronym_peers') },
  { id: 'records', title: 'Records held', of: (metrics) => total(metrics, 'chronym_records') },
  {
    id: 'http',
    title: 'HTTP requests',
    unit: '/s',
    isRate: true,
    of: (metrics) => total(metrics, 'chronym_http_request_duration_seconds_count', (labels) => !isDashboard(labels))
  },
  {
    id: 'dns',
    title: 'DNS queries',
    unit: '/s',
    isRate: true,
    of: (metrics) => total(metrics, 'chronym_dns_queries_total') ?? 0
  },
  {
    id: 'cpu',
    title: 'Processor',
    unit: '%',
    isRate: true,
    of: (metrics) => {
      const seconds = total(metrics, 'process_cpu_seconds_total')
      return seconds === undefined ? undefined : 100 * seconds
    }
  },
  {
    id: 'memory',
    title: 'Memory',
    unit: ' MiB',
    of: (metrics) => {
      const bytes = total(metrics, 'process_resident_memory_bytes')
      return bytes === undefined ? undefined : bytes / 2 ** 20
    }
  }
]

/** With one more reading; the oldest goes. */
export function withReading(history: readonly Reading[], metrics: Metrics, atMs: number): Reading[] {
  const values = Object.fromEntries(SERIES.map(({ id, of }) => [id, of(metrics)]))
  return [...history, { atMs, values }].slice(-MAX_READINGS)
}

/** Longer than this between two readings is a gap in the line, seconds: the tab was hidden, or the daemon away. */
const GAP_SECONDS = 20

/** Null where nothing is known. */
export function lineOf(history: readonly Reading[], { id, isRate }: Pick<Series, 'id' | 'isRate'>): Line {
  const times: number[] = []
  const values: (number | null)[] = []
  history.forEach(({ atMs, values: read }, index) => {
    const before = history[index - 1]
    if (before !== undefined && atMs - before.atMs > GAP_SECONDS * 1000) {
      times.push((before.atMs + 1) / 1000)
      values.push(null)
    }
    times.push(atMs / 1000)
    values.push(
      isRate
        ? rate(before && { atMs: before.atMs, value: before.values[id] }, { atMs, value: read[id] })
        : (read[id] ?? null)
    )
  })
  return { times, values }
}

export const latest = (values: Line['values']): number | undefined => values.findLast((value) => value !== null)
