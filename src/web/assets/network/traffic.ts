/** Readings of GET /metrics (Prometheus) over time, as graphs. */
import { createStore, h, html, useEffect, useState, useStore } from '../lib/html.ts'
import { getResponse } from '../lib/http.ts'
import { short } from '../lib/words.ts'
import { Card } from '../parts/basics.ts'
import { Graph, type Line } from '../parts/graph.ts'

type Labels = Readonly<Record<string, string>>
interface Sample {
  readonly labels: Labels
  readonly value: number
}
/** Samples by the name of their metric. */
type Metrics = ReadonlyMap<string, readonly Sample[]>

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

/** Comments and lines that cannot be read are left out. */
export function parseMetrics(text: string): Metrics {
  const metrics = new Map<string, Sample[]>()
  for (const line of text.split('\n')) {
    const [, name, labels = '', number] = LINE.exec(line) ?? []
    if (name === undefined) continue
    const value = number === '+Inf' ? Infinity : number === '-Inf' ? -Infinity : Number(number)
    if (Number.isNaN(value)) continue
    const samples = metrics.get(name) ?? []
    metrics.set(name, samples)
    samples.push({
      labels: Object.fromEntries(
        [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [key, text.replace(/\\(.)/g, '$1')])
      ),
      value
    })
  }
  return metrics
}

/** The sum of a metric, of the series that `wanted(labels)` takes; undefined where it is absent. */
export function total(
  metrics: Metrics,
  name: string,
  wanted: (labels: Labels) => boolean = () => true
): number | undefined {
  const series = (metrics.get(name) ?? []).filter(({ labels }) => wanted(labels))
  return series.length === 0 ? undefined : series.reduce((sum, { value }) => sum + value, 0)
}

interface Count {
  readonly atMs: number
  readonly value: number | undefined
}

/**
 * By how much a counter grew each second between two readings; null where either lacks it, and after a
 * restart, which begins it at zero again.
 */
export function rate(before: Count | undefined, now: Count): number | null {
  if (before === undefined || before.value === undefined || now.value === undefined) return null
  const seconds = (now.atMs - before.atMs) / 1000
  const grown = now.value - before.value
  return seconds <= 0 || grown < 0 ? null : grown / seconds
}

interface Series {
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
const scaled = (value: number | undefined, factor: number) => (value === undefined ? undefined : value * factor)

const perSecond = { unit: '/s', isRate: true }

/** What each graph shows. */
export const SERIES: readonly Series[] = [
  { id: 'peers', title: 'Connected peers', of: (metrics) => total(metrics, 'chronym_peers') },
  { id: 'records', title: 'Records held', of: (metrics) => total(metrics, 'chronym_records') },
  {
    ...perSecond,
    id: 'http',
    title: 'HTTP requests',
    of: (metrics) => total(metrics, 'chronym_http_request_duration_seconds_count', (labels) => !isDashboard(labels))
  },
  { ...perSecond, id: 'dns', title: 'DNS queries', of: (metrics) => total(metrics, 'chronym_dns_queries_total') ?? 0 },
  {
    id: 'cpu',
    title: 'Processor',
    unit: '%',
    isRate: true,
    of: (metrics) => scaled(total(metrics, 'process_cpu_seconds_total'), 100)
  },
  {
    id: 'memory',
    title: 'Memory',
    unit: ' MiB',
    of: (metrics) => scaled(total(metrics, 'process_resident_memory_bytes'), 2 ** -20)
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

const EVERY_MS = 5_000
/** A line needs two readings, and that of a counter three: the first ones come sooner. */
const SOON_MS = 1_000

/** Kept while the page is open, so a view that is opened again goes on. */
const history = createStore<readonly Reading[]>([])

/** Reads while the view is shown and the tab is seen. */
function useReadings(): Error | undefined {
  const [error, setError] = useState<Error>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isShown = true
    const read = async () => {
      try {
        if (!document.hidden) {
          const text = await (await getResponse('/metrics')).text()
          history.set((known) => withReading(known, parseMetrics(text), Date.now()))
        }
        setError(undefined)
      } catch (trouble) {
        setError(trouble as Error)
      }
      if (isShown) timer = setTimeout(() => void read(), history.get().length < 3 ? SOON_MS : EVERY_MS)
    }
    void read()
    return () => {
      isShown = false
      clearTimeout(timer)
    }
  }, [])
  return error
}

export function Traffic() {
  const error = useReadings()
  const readings = useStore(history)
  return html`
    <${Card} title="Traffic">
      ${error && html`<p class="quiet">${error.message}</p>`}
      <div class="graphs">${SERIES.map((series) => seriesGraph(series, readings))}</div>
      <p class="hint">
        Read every ${EVERY_MS / 1000} seconds while this view is open. <code>/metrics</code> has all of it for
        Prometheus.
      </p>
    <//>
  `
}

function seriesGraph(series: Series, readings: readonly Reading[]) {
  const { id, title, unit = '' } = series
  const line = lineOf(readings, series)
  const now = latest(line.values)
  const text = now === undefined ? 'no reading yet' : `${short(now)}${unit}`
  return html`
    <div class="graph-frame" key=${id}>
      <div class="row spread">
        <h3>${title}</h3>
        <span class="number">${text}</span>
      </div>
      ${
        line.times.length < 2
          ? html`<p class="quiet graph-wait">A line needs two readings.</p>`
          : h(Graph, { ...line, unit, label: `${title}: ${text} now` })
      }
    </div>
  `
}
