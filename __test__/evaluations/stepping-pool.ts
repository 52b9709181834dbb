/** Evaluations whose every squaring is counted: after each checkpoint they wait until the disk is at rest. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type {
  Checkpoint,
  Evaluation,
  EvaluationHandle,
  EvaluationOutcome,
  EvaluationProgress,
  EvaluationTerms,
  NativePool
} from '../../src/native/types.ts'
import { disk } from './faulty-disk.ts'

export const SQUARINGS_A_RECORD = 10
/** No divisor of what lies between two marks, so that marks are taken a while after what they are marks of. */
export const SQUARINGS_A_CHECKPOINT = 40

/**
 * The records between two positions. Each depends on its position alone, as the kernel's do; `layout` is the memory
 * that they are stored for.
 */
export function records(from: number, to: number, layout = 0): Buffer {
  const record = (index: number): Buffer[] =>
    ['a', 'b'].map((part) => createHash('sha512').update(`${layout} ${part} ${index}`).digest())
  return Buffer.concat(Array.from({ length: to - from }, (_, index) => record(from + index)).flat())
}

/** Steps of proving, each with its own checkpoint. */
const PROVING_STEPS = 4

export class SteppingPool implements Pick<NativePool, 'evaluate'> {
  /** Squarings done in all. */
  squared = 0
  /** From where each evaluation went on: squarings, and steps of proving after a slash. */
  readonly begun: string[] = []
  /** Called at each position, before it is handed over. */
  onReached: (squarings: number, proved: number) => void = () => undefined
  /** What an evaluation ends with. */
  outcome: EvaluationOutcome = { kind: 'proof', proof: Buffer.from('proof') }
  squaringsACheckpoint = SQUARINGS_A_CHECKPOINT
  /** Of evaluations that start from the beginning. */
  layout = 0

  evaluate(
    { iterations }: Evaluation,
    { resume }: EvaluationTerms,
    onCheckpoint: (checkpoint: Checkpoint) => void
  ): EvaluationHandle {
    const state =
      resume === undefined
        ? ([0, 0, this.layout] as const)
        : (JSON.parse(Buffer.from(resume.state).toString()) as [number, number, number])
    const layout = state[2]
    let [squarings, proved] = state
    let isStopped = false
    this.begun.push(proved === 0 ? `${squarings}` : `${squarings}/${proved}`)
    const recordCount = (): number => squarings / SQUARINGS_A_RECORD
    // As the kernel does: it takes no other intermediates than those of its state.
    expect(Buffer.from(resume?.intermediates ?? []).equals(records(0, recordCount(), layout))).toBe(true)
    const step = (): void => {
      const saved = recordCount()
      if (squarings === iterations) proved++
      else {
        squarings += this.squaringsACheckpoint
        this.squared += this.squaringsACheckpoint
      }
      this.onReached(squarings, proved)
      onCheckpoint({
        state: Buffer.from(JSON.stringify([squarings, proved, layout])),
        appended: records(saved, recordCount(), layout),
        appendedFrom: saved,
        squarings
      })
    }
    const run = async (): Promise<EvaluationOutcome> => {
      for (;;) {
        await disk.rest()
        if (isStopped) return { kind: 'stopped' }
        if (proved === PROVING_STEPS) return this.outcome
        step()
      }
    }
    return {
      progress: (): EvaluationProgress => ({
        phase: 'squaring',
        squarings,
        phaseProgress: squarings / iterations,
        remaining: iterations - squarings,
        squaringsPerSecond: 1
      }),
      stop: () => (isStopped = true),
      outcome: run()
    }
  }
}
