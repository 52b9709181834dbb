import { roundTimeMs } from '../../protocol/time.ts'
import type { Name } from '../../protocol/name/names.ts'
import { proofShape } from '../../protocol/claim/proof.ts'
import { nextDeadlineMs } from '../../evaluations/turns.ts'
import type { PlannedClaim, ClaimTasks } from '../tasks.ts'
import type { TaskKind, TaskView, Estimate, RenewalGain } from '../../views/task.ts'
import { decodeContext } from './journal.ts'
import { iterationsOf } from './steps.ts'
import { openName, type RegistryContext, leaseEndsMs, leaseOf, roundTime } from '../context.ts'
import { isCancelled, isGone } from '../stored/owned-names.ts'
import { linksOf } from '../../protocol/claim/reveal.ts'

/**
 * Together long enough for a rate within a few percent, short enough for an answer while somebody waits. One by one
 * they delay nobody's verification.
 */
const SLICES = 4
const SLICE_MS = 100
/** A restart at the earliest makes another machine; its load and battery change within minutes. */
const RATE_KEPT_MS = 60 * 1000

/**
 * This machine's squarings per second on one thread: that of its running tasks, else measured on demand and kept a
 * while.
 */
export class MeasuredRate {
  readonly #context: RegistryContext
  readonly #tasks: ClaimTasks
  #measured: { atMs: number; rate: Promise<number> } | undefined

  constructor(context: RegistryContext, tasks: ClaimTasks) {
    this.#context = context
    this.#tasks = tasks
  }

  /** `keptMs`: how old a measurement may be. */
  get(keptMs = RATE_KEPT_MS): Promise<number> {
    const working = this.#tasks
      .list()
      .flatMap((task) => (task.phase === 'evaluate' && !task.paused ? (task.iterations_per_second ?? []) : []))
    if (working.length > 0) return Promise.resolve(working.reduce((sum, rate) => sum + rate, 0) / working.length)
    const nowMs = this.#context.clock.now()
    if (this.#measured !== undefined && Math.abs(nowMs - this.#measured.atMs) < keptMs) return this.#measured.rate
    const rate = this.#measure()
    this.#measured = { atMs: nowMs, rate }
    rate.catch(() => (this.#measured = undefined))
    return rate
  }

  /** The thread verifies for others too: they have their turn between the slices. */
  async #measure(): Promise<number> {
    const { pool, profile } = this.#context
    let sum = 0
    for (let slice = 0; slice < SLICES; slice++) sum += await pool.measureRate(profile.discriminant_bits, SLICE_MS)
    return sum / SLICES
  }
}

interface EstimateParts {
  readonly context: RegistryContext
  readonly tasks: ClaimTasks
  readonly rate: MeasuredRate
  /** `vdf.max_tasks`, and the room of a farm. */
  readonly slots: () => number
}

/** What registering this name would take now, or renewing it if this daemon owns it. SVC-NAM-*. */
export async function estimate({ context, tasks, rate, slots }: EstimateParts, text: string): Promise<Estimate> {
  const { profile, clock } = context
  const name = openName(context, text)
  const kind = kindOf(context, name)
  const iterations = iterationsOf(context, name, kind)
  const perSecond = await rate.get()
  const kept = tasks.finishedProof({ name, kind })
  if (kept !== undefined) return ofKeptProof(context, name, kind, kept, perSecond)
  const all = tasks.list()
  const work = await workOf(context, [iterations, ...all.map((task) => task.iterations)])
  const secondsFor = (squarings: number, of: number): number => (squarings + work.get(of)! - of) / perSecond
  const queued = queueSeconds(
    kind === 'register' ? all : beforeRenewal(context, all, name),
    slots(),
    (task) => task.eta_seconds ?? secondsFor(task.iterations - task.progress, task.iterations)
  )
  const startRound =
    context.time().now + Math.ceil(queued / profile.beacon.period) + (kind === 'register' ? profile.min_commit : 0)
  const waited = Math.max(queued, (roundTimeMs(startRound, profile.beacon) - clock.now()) / 1000)
  return {
    kind,
    iterations,
    iterations_per_second: Math.round(perSecond),
    seconds: Math.ceil(waited + secondsFor(iterations, iterations)),
    queued_seconds: Math.ceil(queued),
    proving_seconds: Math.ceil(secondsFor(0, iterations)),
    proof_kept: false,
    lease_start: roundTime(context, startRound),
    lease_end: roundTime(context, startRound + profile.lease),
    ...renewalsOf(context, name),
    ...gainOf(context, name, kind, startRound)
  }
}

function renewalsOf(context: RegistryContext, name: Name): Pick<Estimate, 'renewal_iterations' | 'renewals'> {
  return { renewal_iterations: iterationsOf(context, name, 'renew'), renewals: context.profile.chain_max }
}

/** A name of ours that was lost, has lapsed or was cancelled late can only be registered again. */
function kindOf(context: RegistryContext, name: Name): TaskKind {
  const record = context.owned.get(name)
  return record === undefined ||
    isGone(record) ||
    isCancelled(record) ||
    leaseOf(context, record.reveal.drand_pulse).state === 'dead'
    ? 'register'
    : 'renew'
}

function gainOf(context: RegistryContext, name: Name, kind: TaskKind, startRound: number): RenewalGain {
  return kind === 'renew' ? renewalGain(context, name, startRound) : { gain_seconds: null, left: null }
}

/** Those whose deadlines come before the end of this lease, or with it (evaluations/queue.ts). */
function beforeRenewal(context: RegistryContext, tasks: readonly TaskView[], name: string): TaskView[] {
  const nowMs = context.clock.now()
  const endOf = (renewed: string): number => nextDeadlineMs(leaseEndsMs(context, renewed), nowMs)
  const end = endOf(name)
  const running = tasks.filter(({ status }) => status === 'running')
  return running.filter(
    (task) =>
      (task.kind === 'renew'
        ? endOf(task.name)
        : nextDeadlineMs(task.deadline === null ? [] : [Date.parse(task.deadline)], nowMs)) <= end
  )
}

/** Nothing is left to compute, and the lease runs from the proof's pulse. */
function ofKeptProof(
  context: RegistryContext,
  name: Name,
  kind: TaskKind,
  kept: PlannedClaim,
  perSecond: number
): Estimate {
  const { pulseRound } = decodeContext(kept.context)
  return {
    kind,
    iterations: kept.evaluation.iterations,
    iterations_per_second: Math.round(perSecond),
    seconds: 0,
    queued_seconds: 0,
    proving_seconds: 0,
    proof_kept: true,
    lease_start: roundTime(context, pulseRound),
    lease_end: roundTime(context, pulseRound + context.profile.lease),
    ...renewalsOf(context, name),
    ...gainOf(context, name, kind, pulseRound)
  }
}

/** Time to the proof, in squarings, of evaluations of these lengths. */
async function workOf({ pool, profile }: RegistryContext, lengths: readonly number[]): Promise<Map<number, number>> {
  const plan = async (iterations: number): Promise<[number, number]> => {
    const { split } = proofShape(iterations, profile)
    return [iterations, await pool.plannedWork({ discriminantBits: profile.discriminant_bits, iterations, split })]
  }
  return new Map(await Promise.all([...new Set(lengths)].map(plan)))
}

const WORKING: ReadonlySet<TaskView['phase']> = new Set(['commit', 'pulse', 'evaluate', 'prove'])

/**
 * Seconds until a task gets a slot: running tasks continue, waiting ones take their turns before it. Pure.
 * @param tasks those before it
 * @param secondsLeft of a task at work or waiting, once it has a slot
 */
export function queueSeconds(
  tasks: readonly TaskView[],
  slots: number,
  secondsLeft: (task: TaskView) => number
): number {
  const running = tasks.filter(({ status, paused }) => status === 'running' && !paused)
  const freeAt = running.filter(({ phase }) => WORKING.has(phase)).map(secondsLeft)
  while (freeAt.length < slots) freeAt.push(0)
  const soonest = (): number => freeAt.indexOf(Math.min(...freeAt))
  const inTurn = running
    .filter(({ phase }) => phase === 'queued')
    .sort((left, right) => (left.queue_position ?? 0) - (right.queue_position ?? 0))
  for (const task of inTurn) {
    const slot = soonest()
    freeAt[slot] = freeAt[slot]! + secondsLeft(task)
  }
  return Math.min(...freeAt)
}

/**
 * What a renewal with the pulse of `startRound` gives a name of ours, and how many renewals the network still allows.
 * Nulls where there is nothing to renew.
 */
export function renewalGain(context: RegistryContext, name: Name, startRound: number): RenewalGain {
  const { profile, owned } = context
  const record = owned.get(name)
  if (record === undefined || leaseOf(context, record.reveal.drand_pulse).state === 'dead')
    return { gain_seconds: null, left: null }
  const { reveal } = record
  return {
    gain_seconds: Math.max(0, startRound - reveal.drand_pulse) * profile.beacon.period,
    left: Math.max(0, profile.chain_max + 1 - linksOf(reveal).length)
  }
}
