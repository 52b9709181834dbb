/** The loop around an evaluation: slices, progress, checkpoints, stop. Runs on a worker's thread until it is over. */
import type { Evaluation } from '../addon.ts'
import type { Slot } from '../slot.ts'
import type { Checkpoint } from '../types.ts'

/** The target for a slice: long enough to cost nothing, short enough for progress that is never a second old. */
const SLICE_TARGET_MS = 100
/** Units of work in the first slice of a phase, whose speed is unknown. */
const FIRST_STEPS = 100
/** One slice grows at most this much over the one before: a slow moment must not make the next one long. */
const MAX_GROWTH = 4
/** Memory of the rate shown: about the last two seconds. */
const RATE_WINDOW_MS = 2000

interface EvaluationLoop {
  evaluation: Evaluation
  slot: Slot
  checkpointMs: number
  savedIntermediates: number
  onCheckpoint: (checkpoint: Checkpoint) => void
  /** Monotonic, milliseconds. */
  now: () => number
}

/** Returns the proof, or undefined when the stop word ended it (after a last checkpoint). */
export function runEvaluation(loop: EvaluationLoop): Uint8Array | undefined {
  const { evaluation, slot, now } = loop
  let saved = loop.savedIntermediates
  let savedAt = now()
  let phase = evaluation.phase()
  let steps = FIRST_STEPS
  let rate = 0

  const save = (): void => {
    loop.onCheckpoint({
      state: evaluation.state(),
      appended: evaluation.intermediates(saved),
      appendedFrom: saved,
      squarings: evaluation.squarings()
    })
    saved = evaluation.intermediateCount()
    savedAt = now()
  }
  const publish = (sliceMs: number): void => {
    slot.publish({
      phase,
      squarings: evaluation.squarings(),
      phaseProgress: evaluation.phaseProgress(),
      squaringsPerSecond: rate,
      remaining: evaluation.remaining(),
      sliceMs
    })
  }

  publish(0)
  while (phase !== 'done') {
    const before = evaluation.squarings()
    const startedAt = now()
    evaluation.setThreads(slot.threads)
    evaluation.advance(steps, slot.words)
    const tookMs = Math.max(now() - startedAt, 0.01)

    const done = evaluation.squarings() - before
    if (done > 0) rate = smoothed(rate, (done * 1000) / tookMs, tookMs)
    const nextPhase = evaluation.phase()
    const changed = nextPhase !== phase
    phase = nextPhase
    publish(tookMs)

    if (phase === 'done') break
    if (slot.stopped) {
      save()
      return undefined
    }
    if (changed || now() - savedAt >= loop.checkpointMs) save()
    steps = changed ? FIRST_STEPS : nextSteps(steps, tookMs, loop.checkpointMs)
  }

  const proof = evaluation.proof()
  if (proof === null) throw new Error('the kernel ended without a proof')
  return proof
}

/** A checkpoint waits for the slice under way, so that one is short where checkpoints are many. */
function nextSteps(steps: number, tookMs: number, checkpointMs: number): number {
  const factor = Math.min(Math.min(SLICE_TARGET_MS, checkpointMs / 2) / tookMs, MAX_GROWTH)
  return Math.max(1, Math.round(steps * factor))
}

function smoothed(rate: number, measured: number, tookMs: number): number {
  if (rate === 0) return measured
  const weight = 1 - Math.exp(-tookMs / RATE_WINDOW_MS)
  return rate + (measured - rate) * weight
}
