/** What an evaluation goes back to when the kernel here refuses what a farm has added. */
import { expect, it } from 'vitest'
import { loadCheckpoints } from '../../src/evaluations/checkpoints.ts'
import { Evaluator, EvaluationFault } from '../../src/evaluations/evaluator.ts'
import type { Place, PlaceOutcome } from '../../src/evaluations/places.ts'
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
    async begin(_evaluation, load) {
      const {
        terms: { resume },
        onCheckpoint
      } = await load()
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
    place: () => Promise.resolve(place),
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

it.each(['it waits for a place', 'a place can no longer take it'])(
  'a checkpoint that is not trusted is removed, also where it is stopped while %s',
  async (where) => {
    const directory = temporary()
    const abort = new AbortController()
    let hasLeft = false
    const begin: Place['begin'] = async (_evaluation, load) => {
      if (hasLeft && !abort.signal.aborted) {
        abort.abort(new Error('stopped'))
        return undefined
      }
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
      place() {
        if (hasLeft && where === 'it waits for a place') abort.abort(new Error('stopped'))
        abort.signal.throwIfAborted()
        return Promise.resolve({ begin })
      },
      ...{ directory, checkpointSeconds: 10, log: silentLog, signal: abort.signal }
    })
    await expect(evaluation.run(plan)).rejects.toThrow('stopped')
    const { believed } = await loadCheckpoints(directory, plan)
    expect(believed.map(({ squarings }) => squarings)).toEqual([500])
  }
)
