/** What an evaluation goes back to when the kernel here refuses what a farm has added. */
import { expect, it } from 'vitest'
import { loadCheckpoints } from '../../src/evaluations/checkpoints.ts'
import { Evaluator, EvaluationFault, NoRoom } from '../../src/evaluations/evaluator.ts'
import { type Place, type PlaceOutcome, Places } from '../../src/evaluations/places.ts'
import type { Evaluation } from '../../src/native/types.ts'
import { silentLog } from '../registry/claims/fakes.ts'
import { evaluationWith } from '../farm/processes.ts'
import { temporary } from '../temporary.ts'

const plan: Evaluation = { seed: new Uint8Array(32), discriminantBits: 512, iterations: 1000, split: null }

interface Part {
  readonly worker?: string
  readonly reaches: readonly number[]
  readonly outcome: PlaceOutcome
}

/** What the parts are given to resume from. */
async function resumedBy(parts: readonly Part[]): Promise<string[]> {
  const resumed: string[] = []
  const place: Place = {
    evaluate(_evaluation, { resume }, onCheckpoint) {
      const { worker, reaches, outcome } = parts[resumed.length]!
      resumed.push(Buffer.from(resume?.state ?? []).toString())
      for (const squarings of reaches)
        onCheckpoint({
          state: Buffer.from(`at ${squarings}`),
          squarings,
          appended: new Uint8Array(0),
          appendedFrom: 0
        })
      const squarings = reaches.at(-1) ?? 0
      return {
        progress: () => ({
          ...{ phase: 'squaring', squarings, phaseProgress: 0, remaining: 0, squaringsPerSecond: 0 },
          ...(worker !== undefined && { worker })
        }),
        stop: () => undefined,
        outcome: new Promise((resolve) => setTimeout(() => resolve(outcome), 50))
      }
    }
  }
  const evaluation = new Evaluator({
    directory: temporary(),
    places: new Places(place, undefined, () => 1),
    checkpointSeconds: 10,
    log: silentLog,
    about: {},
    signal: new AbortController().signal,
    hasBegun: () => true,
    begins: () => undefined,
    pause: () => Promise.resolve(),
    cannotSave: () => undefined
  })
  for (;;) {
    try {
      await evaluation.run(plan)
      return resumed
    } catch (error) {
      if (!(error instanceof EvaluationFault && evaluation.mayTryAgain(error))) throw error
    }
  }
}

const LEFT = { kind: 'left', reason: 'it leaves', isWrong: true } as const
const PROOF = { kind: 'proof', proof: new Uint8Array(1) } as const

it.each(['KERNEL_FAULT', 'INVALID_CHECKPOINT'] as const)(
  'is what was computed here, after %s, and not the beginning',
  async (code) => {
    const refuses = { kind: 'failed', code, message: 'it does not verify' } as const
    const stops = { kind: 'left', reason: 'moved', isWrong: false } as const
    const parts: Part[] = [
      { reaches: [100], outcome: stops },
      { worker: 'w1', reaches: [500, 600], outcome: LEFT },
      { worker: 'w2', reaches: [700], outcome: LEFT },
      { reaches: [], outcome: refuses },
      { reaches: [], outcome: PROOF }
    ]
    expect(await resumedBy(parts)).toEqual(['', 'at 100', 'at 500', 'at 500', 'at 100'])
  }
)

it.each(['no place has room', 'it is stopped while it waits'])(
  'a checkpoint that is not trusted is removed, also where %s',
  async (where) => {
    const directory = temporary()
    const abort = new AbortController()
    let hasLeft = false
    const evaluate: Places['evaluate'] = async (_computation, load) => {
      if (hasLeft && where === 'no place has room') return undefined
      if (hasLeft) abort.abort(new Error('stopped'))
      abort.signal.throwIfAborted()
      const { onCheckpoint } = await load()
      for (const squarings of [500, 600])
        onCheckpoint({ state: new Uint8Array(1), squarings, appended: new Uint8Array(0), appendedFrom: 0 })
      hasLeft = true
      const progress = {
        phase: 'squaring',
        squarings: 600,
        phaseProgress: 0,
        remaining: 0,
        squaringsPerSecond: 0
      } as const
      return { progress: () => progress, stop: () => undefined, outcome: Promise.resolve(LEFT) }
    }
    const evaluation = evaluationWith({
      ...{ directory, places: { evaluate }, checkpointSeconds: 10, log: silentLog, signal: abort.signal }
    })
    await expect(evaluation.run(plan)).rejects.toThrow(where === 'no place has room' ? NoRoom : 'stopped')
    const { believed } = await loadCheckpoints(directory, plan)
    expect(believed.map(({ squarings }) => squarings)).toEqual([500])
  }
)
