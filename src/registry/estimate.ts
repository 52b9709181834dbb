import { roundTimeMs } from '../protocol/beacon-time.ts'
import { proofShape } from '../protocol/proof-shape.ts'
import { secondsToProof } from '../tasks/view.ts'
import { openName, type RegistryContext } from './context.ts'
import { roundTime } from './lease-times.ts'
import { iterationsOf } from './task-steps.ts'
import type { Estimate } from './types.ts'

/** Long enough for a rate within a few percent, short enough for an answer while somebody waits. */
const MEASURE_MS = 400
/** Machines do not change; how busy they are does. */
const RATE_KEPT_MS = 10 * 60 * 1000

/** This machine's squarings per second on one thread, measured when it is asked for and kept a while. */
export class MeasuredRate {
  readonly #context: RegistryContext
  #measured: { atMs: number; rate: Promise<number> } | undefined

  constructor(context: RegistryContext) {
    this.#context = context
  }

  get(): Promise<number> {
    const { clock, pool, profile } = this.#context
    const nowMs = clock.now()
    if (this.#measured !== undefined && nowMs - this.#measured.atMs < RATE_KEPT_MS) return this.#measured.rate
    const rate = pool.measureRate(profile.discriminant_bits, MEASURE_MS)
    this.#measured = { atMs: nowMs, rate }
    rate.catch(() => (this.#measured = undefined))
    return rate
  }
}

/** What registering this name would take, or renewing it where this daemon owns it. SVC-NAM-*. */
export async function estimate(context: RegistryContext, rate: MeasuredRate, text: string): Promise<Estimate> {
  const { profile } = context
  const name = openName(context, text)
  const kind = context.owned.get(name) === undefined ? 'register' : 'renew'
  const iterations = iterationsOf(context, name, kind)
  const startRound = context.time().now + (kind === 'register' ? profile.min_commit : 0)
  const waitSeconds = Math.max(0, roundTimeMs(startRound, profile.beacon) - context.clock.now()) / 1000
  const workSeconds = secondsToProof(iterations, iterations, await rate.get(), proofShape(iterations, profile).split !== null)
  return {
    iterations,
    seconds: Math.ceil(waitSeconds + workSeconds),
    lease_start: roundTime(context, startRound),
    lease_end: roundTime(context, startRound + profile.lease)
  }
}
