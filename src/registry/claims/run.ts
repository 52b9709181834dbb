import { doubled } from '../../util/backoff.ts'
import { ServiceError } from '../../errors.ts'
import type { ErrorCode } from '../../error-table.ts'
import { type Evaluation, NativeError, type NativeErrorCode } from '../../native/types.ts'
import { asServiceError } from '../../service-errors.ts'
import { StoreError } from '../../store/types.ts'
import { taskDirectory } from '../../evaluations/directories.ts'
import {
  EvaluationFault,
  Evaluator,
  MAX_EVALUATION_FAULTS,
  type EvaluationSettings,
  type Log
} from '../../evaluations/evaluator.ts'
import type { Place, PlaceProgress } from '../../evaluations/places.ts'
import { hasEnded, nextPhase, type TaskFailure, type TaskInput, type TaskState } from './task.ts'
import type { TaskRef, PlannedClaim } from '../tasks.ts'
import type { Clock } from '../../time/clock.ts'
import type { OwnerSeed } from '../seed-holder.ts'
import type { TaskKind } from '../../views/task.ts'

/** The wait before a step is tried again doubles from the first to the last. */
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60_000

/** Passing causes: the step is retried for as long as it takes, because days of work depend on it. */
const TRANSIENT_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SVC-RES-001',
  'SVC-PUB-002',
  'SVC-BCN-001',
  'SVC-STO-001',
  'SVC-KEY-006',
  'SVC-VDF-001'
])

/** A worker that was lost or overloaded says nothing about the question: another one answers it. */
const TRANSIENT_NATIVE_CODES: ReadonlySet<NativeErrorCode> = new Set<NativeErrorCode>(['POOL_BUSY', 'WORKER_FAILED'])

/** Why a run was stopped; never shown. */
class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/**
 * One task at work, from its present state until it ends or is stopped. Each result is in the journal before the next
 * step begins. After `stop` no step begins, and the only result that counts is a finished proof.
 */
export class TaskRun {
  readonly #context: RunContext
  readonly #taskRef: TaskRef
  readonly #abort = new AbortController()
  readonly #evaluator: Evaluator
  /** Resolves when no work for this task is left. Never rejects. */
  readonly done: Promise<void>

  constructor(context: RunContext) {
    this.#context = context
    const { id, name, kind } = context.state()
    this.#taskRef = { taskId: id, name, kind }
    this.#evaluator = new Evaluator({
      ...context.settings,
      directory: taskDirectory(context.dataDir, id),
      place: (evaluation) => context.place(evaluation, this.#abort.signal),
      log: context.log,
      about: { task: id, name },
      signal: this.#abort.signal,
      hasBegun: () => context.state().progress > 0,
      begins: () => {
        context.stalled(null)
        context.rested()
      },
      pause: (attempt) => this.#pause(attempt),
      cannotSave: (error, attempt) => this.#stall(error, attempt, 'what was computed cannot be saved; the task waits')
    })
    this.done = this.#run().catch((error: unknown) => {
      if (!this.#abort.signal.aborted)
        context.log.error({ task: id, err: error }, 'the task stopped; it resumes when the daemon restarts')
    })
  }

  get isStopping(): boolean {
    return this.#abort.signal.aborted
  }

  progress(): PlaceProgress | undefined {
    return this.#evaluator.progress()
  }

  /** Ends the native loop within 200 ms and begins nothing more. With `discard` what was computed is not saved. */
  stop({ discard = false } = {}): void {
    this.#abort.abort(new Interrupted('the task was stopped'))
    this.#evaluator.stop(discard)
  }

  async #run(): Promise<void> {
    const { log } = this.#context
    // The caller finishes its own bookkeeping before the first step.
    await Promise.resolve()
    for (let attempt = 0; !this.#stopped();) {
      try {
        await this.#step()
        attempt = 0
        this.#context.stalled(null)
      } catch (error) {
        if (this.#abort.signal.aborted) return
        if (isTransient(error) || this.#evaluator.mayTryAgain(error)) {
          this.#stall(error, attempt, 'a step of the task is tried again')
          const isLocked = error instanceof ServiceError && error.code === 'SVC-KEY-006'
          if (isLocked) await this.#settled(this.#context.seed.unlocked(this.#abort.signal))
          else await this.#pause(attempt++)
        } else {
          log.error({ task: this.#taskRef.taskId, name: this.#taskRef.name, err: error }, 'the task failed')
          await this.#persist(() => {
            // First: in the other order, a crash in between would leave a claim that is resent without end.
            this.#context.steps.withdraw(this.#taskRef)
            this.#context.apply({ type: 'failed', error: asFailure(error) })
          })
        }
      }
    }
  }

  #stopped(): boolean {
    return this.#abort.signal.aborted || hasEnded(this.#context.state())
  }

  async #step(): Promise<void> {
    const { signal } = this.#abort
    const { steps } = this.#context
    const state = this.#context.state()
    switch (nextPhase(state)) {
      case 'commit': {
        const save = (draft: Uint8Array): void => this.#record({ type: 'drafted', draft })
        const draft = await steps.commit(this.#taskRef, state.draft ?? undefined, save, signal)
        this.#record({ type: 'committed', draft })
        return
      }
      case 'pulse': {
        const plan = await steps.plan(this.#taskRef, held(state.draft), signal)
        this.#record({ type: 'planned', plan })
        return
      }
      case 'evaluate': {
        const plan = held(state.plan)
        await steps.requireUse(this.#taskRef, plan, signal)
        const proof = await this.#evaluator.run(plan.evaluation)
        await this.#persist(() => this.#context.apply({ type: 'proved', proof }))
        return
      }
      case 'reveal': {
        const save = (reveal: Uint8Array): void => this.#record({ type: 'signed', reveal })
        await steps.reveal(this.#taskRef, held(state.plan), held(state.proof), state.reveal ?? undefined, save, signal)
        await this.#persist(() => this.#context.apply({ type: 'published' }))
        return
      }
    }
  }

  /** The only way from a step to the journal: after `stop` it throws, so that no step continues to its effect. */
  #record(input: TaskInput): void {
    this.#abort.signal.throwIfAborted()
    this.#context.apply(input)
  }

  /** Journals a result that must not be lost, for as long as the store fails. */
  async #persist(write: () => void): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        write()
        return
      } catch (error) {
        if (!(error instanceof StoreError) || this.#abort.signal.aborted) throw error
        this.#stall(error, attempt, 'the journal cannot be written; the result is kept in memory and written later')
        await this.#pause(attempt)
        this.#abort.signal.throwIfAborted()
      }
    }
  }

  #stall(error: unknown, attempt: number, message: string): void {
    const { taskId: task, name } = this.#taskRef
    this.#context.log.warn({ task, name, reason: (error as Error).message, attempt }, message)
    this.#context.stalled(asObstacle(error))
  }

  /** Never rejects where the run was stopped. */
  async #settled(passing: Promise<void>): Promise<void> {
    try {
      await passing
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error
    }
  }

  async #pause(attempt: number): Promise<void> {
    const waitMs = doubled(FIRST_RETRY_MS, LAST_RETRY_MS, attempt)
    await this.#settled(this.#context.clock.sleep(waitMs, this.#abort.signal))
  }
}

/** File system failures (they carry `syscall`), failures of workers, and codes of the error table that pass. */
function isTransient(error: unknown): boolean {
  const known = asServiceError(error)
  if (known instanceof ServiceError) return TRANSIENT_CODES.has(known.code)
  if (known instanceof NativeError) return TRANSIENT_NATIVE_CODES.has(known.code)
  return known instanceof Error && 'syscall' in known
}

/** What a task that waits for it shows. */
export function asObstacle(error: unknown): TaskFailure {
  if (error instanceof EvaluationFault || error instanceof NativeError)
    return { code: 'SVC-INT-001', message: `The computation failed (${error.message}) and is tried again.` }
  const known = asServiceError(error)
  if (known instanceof ServiceError && known.code !== 'SVC-STO-001') return { code: known.code, message: known.message }
  return {
    code: 'SVC-STO-001',
    message:
      'The data directory cannot be written. The task waits and resumes by itself; nothing that was stored is lost.'
  }
}

function asFailure(error: unknown): TaskFailure {
  const known = asServiceError(error)
  if (known instanceof ServiceError) return { code: known.code, message: known.message }
  if (known instanceof EvaluationFault) {
    return {
      code: 'SVC-INT-001',
      message:
        `The computation failed ${MAX_EVALUATION_FAULTS} times at the same place ` +
        `(${known.message}). Check the machine's memory and report it.`
    }
  }
  return { code: 'SVC-INT-001', message: 'The task failed with an unexpected error; the log names it.' }
}

function held<T>(value: T | null): T {
  if (value === null) throw new Error('the journal lacks what this phase needs')
  return value
}

/**
 * The steps of one claim. After a crash each must be safe to run again with the same
 * arguments. The manager writes its result to the journal before the next step begins.
 */
export interface ClaimSteps {
  /** The squarings that a name needs. Throws ServiceError for a bad name. */
  iterations(name: string, kind: TaskKind): number
  /** When an unpublished claim loses something, in milliseconds since the epoch, as far as that is known before. */
  deadlinesMs(name: string, kind: TaskKind): readonly number[]
  /**
   * Makes the commitment (register) and publishes it; returns what `plan` needs.
   * `saveDraft` saves its context before anything is sent, so that a crash never sends two commitments for one task.
   */
  commit(
    task: TaskRef,
    draft: Uint8Array | undefined,
    saveDraft: (draft: Uint8Array) => void,
    signal: AbortSignal
  ): Promise<Uint8Array>
  plan(task: TaskRef, draft: Uint8Array, signal: AbortSignal): Promise<PlannedClaim>
  /** Sends the commitment of `draft` again, so that the network keeps it; called hourly and on wake. */
  remind(task: TaskRef, draft: Uint8Array, signal: AbortSignal): Promise<void>
  /**
   * Takes back what would be sent again by itself for this task. After it returns nothing more is sent, except by a
   * running step, which has its own signal. Safe to repeat. Throws StoreError.
   * @param sent the Reveal of a task that is cancelled: peers may hold it
   */
  withdraw(task: TaskRef, sent?: Uint8Array): void
  usable(task: TaskRef, plan: PlannedClaim): boolean
  /**
   * Called before squarings begin or resume: rejects with ServiceError where their proof would give nothing any more.
   */
  requireUse(task: TaskRef, plan: PlannedClaim, signal: AbortSignal): Promise<void>
  /**
   * Assembles and signs the reveal (durable before sending: `saveReveal`), verifies it, publishes it. Makes and saves a
   * new one where its contents have changed since.
   */
  reveal(
    task: TaskRef,
    plan: PlannedClaim,
    proof: Uint8Array,
    saved: Uint8Array | undefined,
    saveReveal: (reveal: Uint8Array) => void,
    signal: AbortSignal
  ): Promise<void>
}

interface RunContext {
  readonly dataDir: string
  /** Waits until the scheduler gives it one. Rejects with the signal's reason. */
  place(evaluation: Evaluation, signal: AbortSignal): Promise<Place>
  readonly steps: ClaimSteps
  readonly seed: OwnerSeed
  readonly settings: EvaluationSettings
  readonly clock: Clock
  readonly log: Log
  state(): TaskState
  /** Journals the state after `input`, then applies it. Throws StoreError with nothing changed. */
  apply(input: TaskInput): void
  /** Shows what blocks the task, or that nothing does. */
  stalled(by: TaskFailure | null): void
  /** Called before an evaluation begins: the rate of the previous one says nothing about the start of this one. */
  rested(): void
}
