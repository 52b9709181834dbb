/** What `chronym vdf bench` measured, as it keeps it. */
import * as v from 'valibot'

const rate = v.pipe(v.number(), v.minValue(0))

/** Squarings per second of all threads together, over the runs. */
const RowSchema = v.object({
  threads: v.pipe(v.number(), v.integer(), v.minValue(1)),
  median: rate,
  low: rate,
  high: rate
})

export const BenchResultSchema = v.object({
  /** The median of one thread. */
  squarings_per_second: rate,
  backend: v.string(),
  /** The kind of steps that the kernel was made of, `compiled` or `ordered`. */
  steps: v.string(),
  bits: v.number(),
  /** Measured for each number of threads, over all runs. */
  seconds: v.number(),
  runs: v.number(),
  cpu: v.string(),
  cores: v.number(),
  platform: v.string(),
  version: v.string(),
  measured_at: v.string(),
  rows: v.pipe(v.array(RowSchema), v.minLength(1))
})

export type BenchRow = v.InferOutput<typeof RowSchema>
export type BenchResult = v.InferOutput<typeof BenchResultSchema>

/** Median, lowest and highest of at least one rate. */
export function rowOf(threads: number, rates: readonly number[]): BenchRow {
  const sorted = rates.map(Math.round).sort((left, right) => left - right)
  const [below, above] = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!]
  return { threads, median: Math.round((below + above) / 2), low: sorted[0]!, high: sorted.at(-1)! }
}
