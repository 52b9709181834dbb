/** An evaluation at the end of its squarings, kept as its checkpoint: what proving and loading are measured from, again and again. */
import { addon } from '../../src/native/addon.ts'
import { BITS, MEMORY_BYTES, SEED } from './real-tasks.ts'

/** Squarings in one call: some 50 ms. */
const STEPS = 16_384

const native = addon()
const never = new Uint32Array(1)

export const discriminant = native.Discriminant.fromSeed(SEED, BITS)

export interface Squared {
  readonly iterations: number
  /** Of the quickest tenth of the calls, so that other programs on the machine do not count. */
  readonly squaringsPerSecond: number
  readonly state: Uint8Array
  readonly intermediates: Uint8Array
}

export function square(iterations: number): Squared {
  const evaluation = new native.Evaluation(discriminant, null, iterations, null, MEMORY_BYTES)
  const rates: number[] = []
  while (evaluation.phase() === 'squaring') {
    const before = evaluation.squarings()
    const startedAt = performance.now()
    evaluation.advance(Math.min(STEPS, iterations - before), never)
    rates.push(((evaluation.squarings() - before) * 1000) / (performance.now() - startedAt))
  }
  const quickest = rates.toSorted((left, right) => right - left)[Math.floor(rates.length / 10)]!
  return { iterations, squaringsPerSecond: quickest, state: evaluation.state(), intermediates: evaluation.intermediates(0) }
}

/** Seconds to prove it, from its checkpoint, on so many threads. */
export function prove({ state, intermediates }: Squared, threads: number): number {
  const evaluation = native.Evaluation.resume(discriminant, state, intermediates)
  evaluation.setThreads(threads)
  const startedAt = performance.now()
  while (evaluation.phase() === 'proving') evaluation.advance(STEPS, never)
  return (performance.now() - startedAt) / 1000
}
