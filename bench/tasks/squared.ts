/**
 * An evaluation at the end of its squarings, kept as its checkpoint: each measurement of proving and loading starts
 * from it.
 */
import { addon } from '../../src/native/addon.ts'
import { BITS, MEMORY_BYTES, SEED } from './real-tasks.ts'

/** Squarings in one call: some 50 ms. */
const STEPS = 16_384
/** Squarings beside a proof are never proved. */
const BESIDE_MEMORY_BYTES = 2 ** 20

const native = addon()
const never = new Uint32Array(1)

export const discriminant = native.Discriminant.fromSeed(SEED, BITS)

export interface Squared {
  readonly iterations: number
  readonly state: Uint8Array
  readonly intermediates: Uint8Array
}

export function square(iterations: number): Squared {
  const evaluation = new native.Evaluation(discriminant, null, iterations, null, MEMORY_BYTES)
  while (evaluation.phase() === 'squaring')
    evaluation.advance(Math.min(STEPS, iterations - evaluation.squarings()), never)
  return { iterations, state: evaluation.state(), intermediates: evaluation.intermediates(0) }
}

export interface ProvingTimes {
  /** Seconds for the proof. */
  readonly proving: number
  /** Seconds for all of its squarings, at the rate there was meanwhile. */
  readonly squaring: number
}

/**
 * Proves from its checkpoint on `threads` threads, alternating slices of proving and squaring. A proof takes minutes,
 * in which the machine's speed changes, so both are measured in the same minutes.
 */
export function proveByTurns({ iterations, state, intermediates }: Squared, threads: number): ProvingTimes {
  const evaluation = native.Evaluation.resume(discriminant, state, intermediates)
  evaluation.setThreads(threads)
  const beside = new native.Evaluation(discriminant, null, Number.MAX_SAFE_INTEGER, null, BESIDE_MEMORY_BYTES)
  // The first squarings are of tiny forms.
  beside.advance(STEPS, never)
  const [begun, seconds] = [beside.squarings(), { proving: 0, squaring: 0 }]
  while (evaluation.phase() === 'proving') {
    seconds.proving += secondsOf(() => evaluation.advance(STEPS, never))
    seconds.squaring += secondsOf(() => beside.advance(STEPS, never))
  }
  return { proving: seconds.proving, squaring: (seconds.squaring * iterations) / (beside.squarings() - begun) }
}

function secondsOf(work: () => void): number {
  const startedAt = performance.now()
  work()
  return (performance.now() - startedAt) / 1000
}
