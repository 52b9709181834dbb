/**
 * The real kernel on the thread of the test: a few squarings a turn, as far as the test lets them go. Threads of a pool
 * yield to all other work of the machine, so a test that waits for them waits for that too.
 */
import { addon, type Evaluation as KernelEvaluation } from '../../src/native/addon.ts'
import type {
  Checkpoint,
  Evaluation,
  EvaluationHandle,
  EvaluationOutcome,
  EvaluationTerms
} from '../../src/native/types.ts'

/** Of an evaluation that takes some fifty turns. */
export const FEW = 2000
/** Where {@link FEW} are under way until they are let go on. */
export const HALF = FEW / 2
const TURN_MS = 5
const TURN_SQUARINGS = 50
const CHECKPOINT_TURNS = 4
const DEFAULT_MEMORY_BYTES = 1 << 22

export class SteppedPool {
  #heldAt: number

  /** `heldAt`: evaluations go no further before they are released. */
  constructor(heldAt = Infinity) {
    this.#heldAt = heldAt
  }

  hold(at: number): void {
    this.#heldAt = at
  }

  release(): void {
    this.hold(Infinity)
  }

  evaluate(
    asked: Evaluation,
    terms: EvaluationTerms,
    onCheckpoint: (checkpoint: Checkpoint) => void
  ): EvaluationHandle {
    const evaluation = opened(asked, terms)
    const { promise: outcome, resolve } = Promise.withResolvers<EvaluationOutcome>()
    let appendedFrom = terms.resume === undefined ? 0 : evaluation.intermediateCount()
    let saved = evaluation.squarings()
    const save = (): void => {
      const appended = evaluation.intermediates(appendedFrom)
      saved = evaluation.squarings()
      onCheckpoint({ state: evaluation.state(), squarings: saved, appended, appendedFrom })
      appendedFrom = evaluation.intermediateCount()
    }
    const turn = (): void => {
      const squarings = evaluation.squarings()
      const left = Math.min(TURN_SQUARINGS, this.#heldAt - squarings)
      if (left > 0) evaluation.advance(left, new Uint32Array(1))
      const proof = evaluation.proof()
      if (proof !== null) end({ kind: 'proof', proof })
      else if (evaluation.squarings() - saved >= CHECKPOINT_TURNS * TURN_SQUARINGS) save()
    }
    const turns = setInterval(turn, TURN_MS)
    const end = (how: EvaluationOutcome): void => {
      clearInterval(turns)
      resolve(how)
    }
    return {
      outcome,
      progress: () => ({
        phase: evaluation.phase(),
        squarings: evaluation.squarings(),
        phaseProgress: evaluation.phaseProgress(),
        remaining: evaluation.remaining(),
        squaringsPerSecond: 1000
      }),
      stop() {
        if (evaluation.squarings() > saved) save()
        end({ kind: 'stopped' })
      }
    }
  }
}

function opened(
  { seed, discriminantBits, iterations, split }: Evaluation,
  { memoryBytes, resume }: EvaluationTerms
): KernelEvaluation {
  const { Discriminant, Evaluation } = addon()
  const discriminant = Discriminant.fromSeed(seed, discriminantBits)
  return resume === undefined
    ? new Evaluation(discriminant, null, iterations, split, memoryBytes ?? DEFAULT_MEMORY_BYTES)
    : Evaluation.resume(discriminant, resume.state, resume.intermediates)
}
