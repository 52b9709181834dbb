/** Reads the text of GET /metrics (Prometheus), and makes rates of two readings. Pure. */

export type Labels = Readonly<Record<string, string>>
export interface Sample {
  readonly labels: Labels
  readonly value: number
}
/** Samples by the name of their metric. */
export type Metrics = ReadonlyMap<string, readonly Sample[]>

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
