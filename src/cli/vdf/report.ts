/** What `chronym vdf bench` measured; with `--report` all that one processor does, for others to cite. */
import { loadavg } from 'node:os'
import * as v from 'valibot'
import { addon } from '../../native/addon.ts'
import { count } from '../../util/words.ts'
import { readTextFile } from '../../util/utf8.ts'

const rate = v.pipe(v.number(), v.minValue(0))

/** Squarings per second of all threads together, over the runs. */
const RowSchema = v.object({
  threads: v.pipe(v.number(), v.integer(), v.minValue(1)),
  median: rate,
  low: rate,
  high: rate
})

const BenchResultSchema = v.object({
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

/** Over as many seeds: how long a discriminant takes differs much from one to the next. */
const SEEDS = 40
/** Squarings of each proof: verification takes as long for any number. */
const ITERATIONS = 5_000
const MEMORY_BYTES = 2 ** 24
const ADVANCE = 10_000
const RUNS = 3

const milliseconds = v.pipe(v.number(), v.minValue(0))

/** Of the shortest of several runs each: other work on the machine only ever adds. */
const TimeSchema = v.object({ median: milliseconds, mean: milliseconds, p25: milliseconds, p75: milliseconds })

export const ReportSchema = v.object({
  ...BenchResultSchema.entries,
  /** Null where the system doesn't tell. */
  microcode: v.nullable(v.string()),
  governor: v.nullable(v.string()),
  compiler: v.string(),
  node: v.string(),
  /** Programs that were ready to run over the last minute, the benchmark's own threads among them. */
  load: v.number(),
  seeds: v.number(),
  discriminant_ms: TimeSchema,
  verification_ms: TimeSchema,
  from_seed_ms: TimeSchema
})

type Report = v.InferOutput<typeof ReportSchema>

/** Throws NativeError where the addon fails. */
export function measureReport(result: BenchResult): Report {
  const native = addon()
  const never = new Uint32Array(1)
  const times = Array.from({ length: SEEDS }, (_, index) => {
    const seed = new Uint8Array(32).fill(index)
    const [discriminant, derived] = timed(() => native.Discriminant.fromSeed(seed, result.bits))
    const evaluation = new native.Evaluation(discriminant, null, ITERATIONS, null, MEMORY_BYTES)
    while (evaluation.phase() !== 'done') evaluation.advance(ADVANCE, never)
    const proof = evaluation.proof()!
    const [, verified] = timed(() => native.verifyProof(discriminant, null, ITERATIONS, proof, 0))
    return { derived, verified }
  })
  return {
    ...result,
    microcode: firstLine('/proc/cpuinfo', /^microcode\s*:(.*)$/m),
    governor: firstLine('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor', /^(.*)$/m),
    compiler: native.compiler(),
    node: process.versions.node,
    load: round(loadavg()[0]!),
    seeds: SEEDS,
    discriminant_ms: timesOf(times.map(({ derived }) => derived)),
    verification_ms: timesOf(times.map(({ verified }) => verified)),
    from_seed_ms: timesOf(times.map(({ derived, verified }) => derived + verified))
  }
}

/** What it gives, and its milliseconds. */
function timed<T>(run: () => T): [T, number] {
  const runs = Array.from({ length: RUNS }, () => {
    const begunAt = performance.now()
    const value = run()
    return { value, time: performance.now() - begunAt }
  })
  return [runs[0]!.value, Math.min(...runs.map(({ time }) => time))]
}

function timesOf(times: readonly number[]): Report['from_seed_ms'] {
  const sorted = times.toSorted((left, right) => left - right)
  const at = (part: number): number => round(sorted[Math.round(part * (sorted.length - 1))]!)
  const mean = round(sorted.reduce((sum, time) => sum + time, 0) / sorted.length)
  return { median: at(0.5), mean, p25: at(0.25), p75: at(0.75) }
}

const round = (value: number): number => Number(value.toFixed(3))

function firstLine(file: string, pattern: RegExp): string | null {
  try {
    return pattern.exec(readTextFile(file))?.[1]?.trim() ?? null
  } catch {
    return null
  }
}

/** In Markdown. */
export function pageOf(report: Report): string {
  const { cpu, cores, backend, steps, bits, version, platform, compiler, node, load, measured_at: at } = report
  const facts = [
    ['processor', `${cpu}, ${cores} cores, ${platform}`],
    ['microcode; governor', `${report.microcode ?? 'unknown'}; ${report.governor ?? 'unknown'}`],
    ['instructions', `backend ${backend}, ${steps} steps`],
    ['built by', `${compiler}; Node ${node}`],
    ['measured', `${at}, version ${version}, load ${load}`]
  ]
  const rates = report.rows.map(({ threads, median, low, high }) => [
    `squarings a second, ${threads === 1 ? 'one thread' : `${threads} threads`}`,
    `${count(median)} (${count(low)} to ${count(high)})`
  ])
  const times = (
    [
      ['a discriminant from its seed', report.discriminant_ms],
      ['verification, discriminant known', report.verification_ms],
      ['verification from the seed', report.from_seed_ms]
    ] as const
  ).map(([what, { median, mean, p25, p75 }]) => [what, `${median} ms (${p25} to ${p75}), mean ${mean} ms`])
  return `# Chronym's VDF on ${cpu}

${[['', ''], ['---', '---'], ...facts].map(line).join('\n')}

${[[`${bits} bits`, 'median (spread)'], ['---', '---'], ...rates, ...times].map(line).join('\n')}

Rates are medians of ${report.runs} runs in ${report.seconds} s, with the lowest and the highest. Times are of ${report.seeds} seeds, each
the shortest of ${RUNS} runs, with quartiles. \`chronym vdf bench --report PATH\` makes this page and its figures, PATH.json.
`
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** Median, lowest and highest of at least one rate. */
export function rowOf(threads: number, rates: readonly number[]): BenchRow {
  const sorted = rates.map(Math.round).sort((left, right) => left - right)
  const [below, above] = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!]
  return { threads, median: Math.round((below + above) / 2), low: sorted[0]!, high: sorted.at(-1)! }
}
