import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { VERSION } from '../../version.ts'
import type { Context } from '../context.ts'
import { inputFailure, messageOf, usageFailure } from '../failures/failure.ts'
import { count as formatCount } from '../../util/words.ts'
import { kernel, withPool } from './kernel.ts'
import { type BenchResult, type BenchRow, measureReport, pageOf, rowOf } from './report.ts'

interface BenchOptions {
  /** For each number of threads, over all runs. */
  seconds: number
  bits: number
  runs: number
  /** The most threads measured. */
  threads: number
  report?: string
}

/**
 * `chronym vdf bench`: squarings per second on 1, 2, 4, ... threads, each in several runs: median, lowest and highest.
 */
export async function runBench(context: Context, options: BenchOptions): Promise<void> {
  if (options.bits % 8 !== 0) throw usageFailure(`--bits ${options.bits}: it must be a multiple of 8`)
  const { report } = options
  const result = await measure(options)
  if (report !== undefined) {
    const whole = measureReport(result)
    keep(asJson(whole), `${report}.json`)
    keep(pageOf(whole), `${report}.md`)
  }
  context.output.answer({ ...result, threads: 1 }, () =>
    [
      headOf(result),
      ...result.rows.map((row) => lineOf(row, result.rows[0]!)),
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

/** 1, 2, 4 and so on below `most`, and `most`. */
export function threadCounts(most: number): number[] {
  const counts: number[] = []
  for (let threads = 1; threads < most; threads *= 2) counts.push(threads)
  return [...counts, most]
}
