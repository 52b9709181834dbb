import { cpus } from 'node:os'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../failures/exit-codes.ts'
import { usageFailure } from '../failures/failure.ts'
import { formatCount } from '../terminal/format.ts'
import { withKernel } from './native-kernel.ts'

export interface BenchOptions {
  seconds: number
  bits: number
}

/** `chronym vdf bench`: squarings per second on one thread, with the backend that did them. */
export async function runBench(context: Context, options: BenchOptions): Promise<ExitCode> {
  const { seconds, bits } = options
  if (bits % 8 !== 0) throw usageFailure(`--bits ${bits}: it must be a multiple of 8`)
  const { rate, backend } = await withKernel(async (kernel) => ({
    rate: await kernel.measureRate(bits, seconds * 1000),
    backend: kernel.backend
  }))
  const squaringsPerSecond = Math.round(rate)
  const cpu = cpus()[0]?.model ?? 'unknown'
  context.output.answer(
    { squarings_per_second: squaringsPerSecond, backend, bits, seconds, threads: 1, cpu },
    () =>
      `${formatCount(squaringsPerSecond)} squarings per second (${bits} bits, one thread, backend ${backend}, ${cpu})`
  )
  return EXIT.ok
}
