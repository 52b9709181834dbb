/**
 * How long after the last squaring a proof of two segments is ready, when the first is proved on a spare core
 * meanwhile.
 */
import { availableParallelism } from 'node:os'
import { addon } from '../../src/native/addon.ts'
import { main } from '../../src/protocol/profile/built-in.ts'
import { proofShape } from '../../src/protocol/claim/proof.ts'
import { MEMORY_BYTES } from './real-tasks.ts'
import { discriminant } from './squared.ts'

/** Squarings in one call: some 50 ms. */
const STEPS = 16_384

/** As long proofs are split, whatever their length here. */
const splitting = { ...main, two_segment_from: 1 }
const never = new Uint32Array(1)

export interface Segments {
  readonly iterations: number
  readonly threads: number
  readonly squaring_seconds: number
  /** From the last squaring to the verified proof. */
  readonly after_seconds: number
  /** Of the squarings' time. */
  readonly after_share: number
}

/** From the first squaring to the proof, split by docs/protocol/wire.md, 7; two threads if the machine has them. */
export function measureSegments(iterations: number): Segments {
  const threads = Math.min(2, availableParallelism())
  const evaluation = new (addon().Evaluation)(
    discriminant,
    null,
    iterations,
    proofShape(iterations, splitting).split,
    MEMORY_BYTES
  )
  evaluation.setThreads(threads)
  const begunAt = performance.now()
  while (evaluation.phase() === 'squaring')
    evaluation.advance(Math.min(STEPS, iterations - evaluation.squarings()), never)
  const squaredAt = performance.now()
  while (evaluation.phase() === 'proving') evaluation.advance(STEPS, never)
  if (evaluation.proof() === null) throw new Error('the proof does not verify')
  const squaring = (squaredAt - begunAt) / 1000
  const after = (performance.now() - squaredAt) / 1000
  return {
    iterations,
    threads,
    squaring_seconds: Number(squaring.toFixed(2)),
    after_seconds: Number(after.toFixed(3)),
    after_share: Number((after / squaring).toFixed(4))
  }
}
