/**
 * The loop around an evaluation, with a modelled kernel and a clock that the model moves: no thread, no time passes.
 */
import { describe, expect, it } from 'vitest'
import type { Evaluation } from '../../../src/native/addon.ts'
import { runEvaluation } from '../../../src/native/worker/evaluate.ts'
import { Slot } from '../../../src/native/slot.ts'
import type { Checkpoint } from '../../../src/native/types.ts'

const PROOF = new Uint8Array([1, 2, 3])

interface Model {
  squarings?: number
  provingSteps?: number
  /** Of one unit of work. */
  squaringMs?: number
  provingMs?: number
  intermediateEvery?: number
  /** Called before each slice. */
  onSlice?: (slice: number) => void
  onThreads?: (threads: number) => void
}

function model({
  squarings = 100_000,
  provingSteps = 20_000,
  squaringMs = 0.01,
  provingMs = 0.02,
  intermediateEvery = 1000,
  onSlice,
  onThreads
}: Model = {}) {
  const slices: { phase: string; ms: number }[] = []
  let nowMs = 0
  let squared = 0
  let proved = 0
  const phase = (): 'squaring' | 'proving' | 'done' =>
    squared < squarings ? 'squaring' : proved < provingSteps ? 'proving' : 'done'
  const evaluation: Evaluation = {
    advance(maxSteps, stop) {
      onSlice?.(slices.length)
      if (stop[0] !== 0) return
      const during = phase()
      const steps = Math.min(maxSteps, during === 'squaring' ? squarings - squared : provingSteps - proved)
      if (during === 'squaring') squared += steps
      else proved += steps
      const ms = steps * (during === 'squaring' ? squaringMs : provingMs)
      nowMs += ms
      slices.push({ phase: during, ms })
    },
    setThreads: (threads) => onThreads?.(threads),
    phase,
    squarings: () => squared,
    iterations: () => squarings,
    split: () => null,
    phaseProgress: () =>
      phase() === 'squaring' ? squared / squarings : phase() === 'proving' ? proved / provingSteps : 1,
    remaining: () => squarings - squared + (provingSteps - proved) / 2,
    state: () => new Uint8Array([squared % 256]),
    intermediateCount: () => Math.floor(squared / intermediateEvery),
    intermediates: (from) => new Uint8Array(Math.floor(squared / intermediateEvery) - from),
    proof: () => (phase() === 'done' ? PROOF : null)
  }
  return { evaluation, slices, now: () => nowMs }
}

function run(given: Model, checkpointMs = Number.POSITIVE_INFINITY, savedIntermediates = 0) {
  const slot = new Slot()
  const checkpoints: Checkpoint[] = []
  const { evaluation, slices, now } = model({
    ...given,
    ...(given.onSlice === undefined ? {} : { onSlice: given.onSlice })
  })
  const proof = runEvaluation({
    evaluation,
    slot,
    checkpointMs,
    savedIntermediates,
    onCheckpoint: (each) => checkpoints.push(each),
    now
  })
  return { proof, slot, checkpoints, slices }
}

describe('the evaluation loop', () => {
  it('ends with the proof, and says so in its slot', () => {
    const { proof, slot } = run({})
    expect(proof).toEqual(PROOF)
    expect(slot.read()).toMatchObject({ phase: 'done', squarings: 100_000, phaseProgress: 1 })
  })

  it('finds slices of about 100 ms, fast kernel or slow', () => {
    for (const squaringMs of [0.003, 0.5]) {
      const { slices } = run({ squaringMs, squarings: Math.round(5000 / squaringMs), provingSteps: 0 })
      const settled = slices.slice(5, -1)
      expect(settled.length).toBeGreaterThan(10)
      for (const { ms } of settled) {
        expect(ms).toBeGreaterThanOrEqual(50)
        expect(ms).toBeLessThanOrEqual(200)
      }
    }
  })

  it('starts small again when the phase changes, as its steps may cost more', () => {
    const { slices } = run({ squaringMs: 0.001, provingMs: 0.1, squarings: 1_000_000, provingSteps: 10_000 })
    for (const { ms } of slices) expect(ms).toBeLessThanOrEqual(200)
  })

  it('hands over a checkpoint at each interval and when the phase changes', () => {
    const { checkpoints } = run({ squarings: 300_000, squaringMs: 0.01, provingSteps: 100_000, provingMs: 0.01 }, 1000)
    // 3 s of squaring and 1 s of proving: two by the clock, one at the change, perhaps one more.
    expect(checkpoints.length).toBeGreaterThanOrEqual(3)
    expect(checkpoints.length).toBeLessThanOrEqual(5)
    expect(checkpoints.some(({ squarings }) => squarings === 300_000)).toBe(true)
  })

  it('hands over a checkpoint after an interval and one slice at the latest, however short the interval is', () => {
    for (const checkpointMs of [50, 1000]) {
      const { checkpoints, slices } = run({ squarings: 1_000_000, squaringMs: 0.01, provingSteps: 0 }, checkpointMs)
      const longest = Math.max(...slices.map(({ ms }) => ms))
      expect(longest).toBeLessThanOrEqual(checkpointMs)
      const reached = [0, ...checkpoints.map(({ squarings }) => squarings)]
      expect(reached.length).toBeGreaterThan(9000 / checkpointMs)
      for (const [index, squarings] of reached.slice(1).entries())
        expect((squarings - reached[index]!) * 0.01).toBeLessThanOrEqual(checkpointMs + longest)
    }
  })

  it('hands over every intermediate record exactly once, in order', () => {
    const { checkpoints } = run({ squarings: 500_000 }, 500)
    let next = 0
    for (const { appended, appendedFrom } of checkpoints) {
      expect(appendedFrom).toBe(next)
      next += appended.length
    }
    expect(next).toBe(500)
  })

  it('does not hand over again what a resumed evaluation was given', () => {
    const { checkpoints } = run({ squarings: 500_000 }, 500, 3)
    expect(checkpoints[0]?.appendedFrom).toBe(3)
  })

  it('ends without a proof, but with a last checkpoint, when it is stopped', () => {
    const slot = new Slot()
    const checkpoints: Checkpoint[] = []
    const { evaluation, now } = model({ onSlice: (slice) => slice === 3 && slot.stop() })
    const proof = runEvaluation({
      evaluation,
      slot,
      checkpointMs: 1e9,
      savedIntermediates: 0,
      onCheckpoint: (each) => checkpoints.push(each),
      now
    })
    expect(proof).toBeUndefined()
    expect(checkpoints).toHaveLength(1)
    expect(checkpoints[0]?.squarings).toBe(evaluation.squarings())
  })

  it('takes the number of threads from its slot before each slice', () => {
    const slot = new Slot()
    const seen: number[] = []
    const { evaluation, now } = model({
      onSlice: (slice) => slice === 4 && slot.allot(3),
      onThreads: (threads) => seen.push(threads)
    })
    runEvaluation({ evaluation, slot, checkpointMs: 1e9, savedIntermediates: 0, onCheckpoint: () => undefined, now })
    expect(seen.slice(0, 8)).toEqual([1, 1, 1, 1, 1, 3, 3, 3])
  })

  it('says what remains, in squarings', () => {
    const { slot } = run({ squarings: 1000, provingSteps: 500, onSlice: () => undefined })
    expect(slot.read().remaining).toBe(0)
    const seen: number[] = []
    const watched = new Slot()
    const { evaluation, now } = model({
      squarings: 2 ** 40,
      onSlice: (slice) => (slice === 5 ? watched.stop() : seen.push(watched.read().remaining))
    })
    runEvaluation({
      evaluation,
      slot: watched,
      checkpointMs: 1e9,
      savedIntermediates: 0,
      onCheckpoint: () => undefined,
      now
    })
    expect(seen[0]).toBe(2 ** 40 + 10_000)
    expect(seen[4]).toBeLessThan(2 ** 40 + 10_000)
  })

  it('measures the rate', () => {
    const { slot } = run({ squaringMs: 0.004 })
    expect(slot.read().squaringsPerSecond).toBeGreaterThan(249_000)
    expect(slot.read().squaringsPerSecond).toBeLessThan(251_000)
  })

  it('publishes squarings that never decrease', () => {
    const seen: number[] = []
    const slot = new Slot()
    const { evaluation, now } = model({ onSlice: () => seen.push(slot.read().squarings) })
    runEvaluation({ evaluation, slot, checkpointMs: 1e9, savedIntermediates: 0, onCheckpoint: () => undefined, now })
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(seen.at(-1)).toBe(100_000)
  })
})

describe('the shared slot', () => {
  it('keeps counts beyond 32 bits exact', () => {
    const slot = new Slot()
    const squarings = 2 ** 52 + 1
    slot.publish({
      phase: 'proving',
      squarings,
      phaseProgress: 0.25,
      squaringsPerSecond: 333_333,
      remaining: squarings - 1,
      sliceMs: 100.5
    })
    expect(new Slot(slot.memory).read()).toEqual({
      phase: 'proving',
      squarings,
      phaseProgress: 0.25,
      squaringsPerSecond: 333_333,
      remaining: squarings - 1,
      sliceMs: 100.5
    })
  })

  it('goes to the first, the worker that begins or the owner that withdraws', () => {
    const begun = new Slot()
    expect([begun.begin(), begun.withdraw()]).toEqual([true, false])
    const withdrawn = new Slot()
    expect([withdrawn.withdraw(), withdrawn.begin()]).toEqual([true, false])
  })
})
