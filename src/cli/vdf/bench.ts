import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { VERSION } from '../../version.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../failures/exit-codes.ts'
import { inputFailure, messageOf, usageFailure } from '../failures/failure.ts'
import { readJson } from '../input/files.ts'
import { formatCount } from '../terminal/format.ts'
import { REFERENCES } from './bench-references.ts'
import { asBenchResult, rowOf, threadCounts, type BenchResult, type BenchRow } from './bench-result.ts'
import { withKernel } from './native-kernel.ts'

export interface BenchOptions {
  /** For each number of threads, over all runs. */
  seconds: number
  bits: number
  runs: number
  /** The most threads measured. */
  threads: number
  compare?: string
  save?: string
  reference?: boolean
}

/**
 * `chronym vdf bench`: squarings per second on 1, 2, 4, ... threads, each in several runs: median, lowest and highest.
 */
export async function runBench(context: Context, options: BenchOptions): Promise<ExitCode> {
  if (options.bits % 8 !== 0) throw usageFailure(`--bits ${options.bits}: it must be a multiple of 8`)
  const { compare, save } = options
  // Before the time is spent.
  const other = compare === undefined ? undefined : asBenchResult(await readJson(compare, context.stdin), compare)
  const result = await measure(options)
  if (save !== undefined) keep(result, save)
  context.output.answer({ ...result, threads: 1, ...(other !== undefined && { compared_with: other }) }, () =>
    [
      headOf(result),
      ...result.rows.map((row) => lineOf(row, result.rows[0]!)),
      ...(other === undefined ? [] : comparison(result, other)),
      ...(options.reference === true ? references(result) : []),
      ...(save === undefined ? [] : [`saved: ${save}`])
    ].join('\n')
  )
  return EXIT.ok
}

function keep(result: BenchResult, file: string): void {
  try {
    writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
  } catch (error) {
    throw inputFailure(`${file} can't be written: ${messageOf(error)}`, error, 'Check the path, and the rights to it.')
  }
}

async function measure({ seconds, bits, runs, threads: most }: BenchOptions): Promise<BenchResult> {
  return withKernel(async (kernel) => {
    const milliseconds = (seconds * 1000) / runs
    const rows: BenchRow[] = []
    for (const threads of threadCounts(most)) {
      const rates: number[] = []
      for (let run = 0; run < runs; run++) rates.push(await kernel.measureRate(bits, milliseconds, threads))
      rows.push(rowOf(threads, rates))
    }
    const processors = cpus()
    return {
      squarings_per_second: rows[0]!.median,
      backend: kernel.backend,
      steps: kernel.steps,
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
