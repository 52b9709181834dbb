import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import * as v from 'valibot'
import { faultOf } from '../../protocol/encoding/issue.ts'
import { VERSION } from '../../version.ts'
import type { Context } from '../context.ts'
import { inputFailure, messageOf, usageFailure } from '../failures/failure.ts'
import { readJson } from '../input/files.ts'
import { count as formatCount } from '../../util/words.ts'
import { kernel, withPool } from './kernel.ts'
import { measureReport, pageOf } from './report.ts'
import { type BenchResult, BenchResultSchema, type BenchRow, rowOf } from './result.ts'

interface BenchOptions {
  /** For each number of threads, over all runs. */
  seconds: number
  bits: number
  runs: number
  /** The most threads measured. */
  threads: number
  compare?: string
  save?: string
  reference?: boolean
  report?: string
}

/**
 * `chronym vdf bench`: squarings per second on 1, 2, 4, ... threads, each in several runs: median, lowest and highest.
 */
export async function runBench(context: Context, options: BenchOptions): Promise<void> {
  if (options.bits % 8 !== 0) throw usageFailure(`--bits ${options.bits}: it must be a multiple of 8`)
  const { compare, save, report } = options
  // Before the time is spent.
  const other = compare === undefined ? undefined : asBenchResult(await readJson(compare, context.stdin), compare)
  const result = await measure(options)
  if (save !== undefined) keep(asJson(result), save)
  if (report !== undefined) {
    const whole = measureReport(result)
    keep(asJson(whole), `${report}.json`)
    keep(pageOf(whole), `${report}.md`)
  }
  context.output.answer({ ...result, threads: 1, ...(other !== undefined && { compared_with: other }) }, () =>
    [
      headOf(result),
      ...result.rows.map((row) => lineOf(row, result.rows[0]!)),
      ...(other === undefined ? [] : comparison(result, other)),
      ...(options.reference === true ? references(result) : []),
      ...(save === undefined ? [] : [`saved: ${save}`]),
      ...(report === undefined ? [] : [`saved: ${report}.md, ${report}.json`])
    ].join('\n')
  )
}

const asJson = (result: BenchResult): string => `${JSON.stringify(result, null, 2)}\n`

function keep(text: string, file: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw inputFailure(`${file} can't be written: ${messageOf(error)}`, 'Check the path, and the rights to it.', error)
  }
}

async function measure({ seconds, bits, runs, threads: most }: BenchOptions): Promise<BenchResult> {
  const { backend, steps } = kernel()
  return withPool(async (pool) => {
    const milliseconds = (seconds * 1000) / runs
    const rate = () => pool.measureRate(bits, milliseconds)
    const rows: BenchRow[] = []
    for (const threads of threadCounts(most)) {
      const rates: number[] = []
      for (let run = 0; run < runs; run++) rates.push(sumOf(await Promise.all(Array.from({ length: threads }, rate))))
      rows.push(rowOf(threads, rates))
    }
    const processors = cpus()
    return {
      squarings_per_second: rows[0]!.median,
      backend,
      steps,
      bits,
      seconds,
      runs,
      cpu: processors[0]?.model ?? 'unknown',
      cores: processors.length,
      platform: `${process.platform}-${process.arch}`,
      version: VERSION,
      measured_at: new Date().toISOString(),
      rows
    }
  }, most)
}

const sumOf = (rates: readonly number[]): number => rates.reduce((sum, rate) => sum + rate, 0)

function headOf({ squarings_per_second: rate, bits, backend, steps, cpu, runs, seconds }: BenchResult): string {
  return (
    `${formatCount(rate)} squarings per second (${bits} bits, one thread, backend ${backend}, ${steps} steps, ${cpu}; ` +
    `${runs} runs in ${seconds} s)`
  )
}

function lineOf({ threads, median, low, high }: BenchRow, { median: single }: BenchRow): string {
  const scaling = (median / single / threads).toFixed(2)
  return (
    `  ${threads} thread${threads === 1 ? ' ' : 's'}  ${formatCount(median)} (${formatCount(low)} to ` +
    `${formatCount(high)}), ${scaling} of ${threads} times one`
  )
}

function comparison(result: BenchResult, other: BenchResult): string[] {
  if (result.bits !== other.bits)
    return [`not comparable: that result is of ${other.bits} bits, this one of ${result.bits}`]
  return [
    `beside ${other.cpu} (backend ${other.backend}, version ${other.version}, ${other.measured_at}):`,
    ...result.rows.flatMap(({ threads, median }) => {
      const match = other.rows.find((row) => row.threads === threads)
      return match === undefined
        ? []
        : [
            `  ${threads} thread${threads === 1 ? ' ' : 's'}  ${ratio(median, match.median)} of its ${formatCount(match.median)}`
          ]
    })
  ]
}

/** Others publish 1024 bits alone. */
function references({ bits, squarings_per_second: rate }: BenchResult): string[] {
  if (bits !== 1024) return ['published rates are of 1024 bits: not comparable']
  return REFERENCES.map(
    ({ what, squaringsPerSecond, source }) =>
      `  ${ratio(rate, squaringsPerSecond)} of ${formatCount(squaringsPerSecond)}, ${what} (${source})`
  )
}

function ratio(rate: number, other: number): string {
  return (rate / other).toFixed(2)
}

/** Throws an input failure that names the file for anything but a result. */
function asBenchResult(value: unknown, file: string): BenchResult {
  const result = v.safeParse(BenchResultSchema, value)
  if (result.success) return result.output
  throw inputFailure(
    `${file} is not a result of a benchmark: ${faultOf(result.issues)}`,
    'Give a file that `chronym vdf bench --save FILE` wrote.'
  )
}

/** 1, 2, 4 and so on below `most`, and `most`. */
export function threadCounts(most: number): number[] {
  const counts: number[] = []
  for (let threads = 1; threads < most; threads *= 2) counts.push(threads)
  return [...counts, most]
}

/** Published rates of others, at 1024 bits on one thread or chip. */
interface Reference {
  readonly what: string
  readonly squaringsPerSecond: number
  readonly source: string
}

const REFERENCES: readonly Reference[] = [
  {
    what: 'the fastest known chip',
    squaringsPerSecond: 715_000,
    source: 'docs/protocol/wire.md, 2'
  },
  {
    what: "the fastest chiavdf that Chia's network saw before chips (2020; thought to be Rocket Lake, AVX-512 IFMA)",
    squaringsPerSecond: 360_000,
    source: "wiki of chia-blockchain, page 'Timelords'"
  }
]
