/** Readings of /metrics over time, for graphs. Pure. */
import { rate, total } from './metrics-text.ts'

/** Half an hour at one reading in five seconds. */
const MAX_READINGS = 360

const isDashboard = ({ route }) => route === '/metrics'

/** What each graph shows: `of(metrics)` reads it; `isRate` for counters, shown as growth a second. */
export const SERIES = [
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

/** The history `{atMs, values}` with one more reading; the oldest goes. */
export function withReading(history, metrics, atMs) {
  const values = Object.fromEntries(SERIES.map(({ id, of }) => [id, of(metrics)]))
  return [...history, { atMs, values }].slice(-MAX_READINGS)
}

/** Longer than this between two readings is a gap in the line, seconds: the tab was hidden, or the daemon away. */
const GAP_SECONDS = 20

/** `{times, values}` of one graph, as uPlot takes them: seconds, and null where nothing is known. */
export function lineOf(history, { id, isRate }) {
  const times = []
  const values = []
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

export const latest = (values) => values.findLast((value) => value !== null)
