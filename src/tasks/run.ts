import { ServiceError, type ErrorCode } from '../errors.ts'
import type { EvaluationHandle, EvaluationOutcome, EvaluationProgress, EvaluationRequest, NativePool } from '../native/types.ts'
import { StoreError } from '../store/types.ts'
import { CheckpointWriter, loadCheckpoint, taskDirectory } from './checkpoints.ts'
import type { Clock } from './clock.ts'
import { hasEnded, nextPhase, type TaskFailure, type TaskInput, type TaskState } from './state.ts'
import type { EvaluationPlan, TaskIdentity, TaskSteps } from './types.ts'

/** Waiting before a step is tried again: doubled from the first to the last. */
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60_000

/** Failures of the kernel or its worker at one place after which a task is given up: by then the hardware or the program is at fault. */
const MAX_EVALUATION_FAULTS = 3

/** What passes by itself: the step is tried again for as long as it takes, because days of work hang on it. */
const TRANSIENT_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['SVC-RES-001', 'SVC-PUB-002', 'SVC-BCN-001', 'SVC-STO-001'])

/** The part of a pino logger that is used here. */
export interface TaskLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface RunContext {
  readonly dataDir: string
  readonly pool: Pick<NativePool, 'evaluate'>
  readonly steps: TaskSteps
  readonly checkpointSeconds: number
  readonly memoryBytes: number | undefined
  readonly clock: Clock
  readonly log: TaskLog
  state(): TaskState
  /** Journals the state after `input`, then makes it stand. Throws StoreError with nothing changed. */
  apply(input: TaskInput): void
}

/** The evaluation failed for a reason that another try may cure. */
class EvaluationFault extends Error {
  override readonly name = 'EvaluationFault'
  readonly code: string
  /** How far it had come. */
  readonly squarings: number

  constructor(code: string, message: string, squarings: number) {
    super(`${code}: ${message}`)
    this.code = code
    this.squarings = squarings
  }
}

/** An evaluation at work. */
interface Evaluation {
  readonly handle: EvaluationHandle
  readonly writer: CheckpointWriter
  /** Squarings of the checkpoint that it goes on from; undefined for one that began anew. */
  readonly resumedFrom: number | undefined
}

/** Why a run was stopped; never shown. */
class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/**
 * One task at work, from where it stands until it ends or is stopped. Each result is in the journal before the next
 * step begins. After `stop` no step is begun and no result counts but a finished proof.
 */
export class TaskRun {
  readonly #context: RunContext
  readonly #identity: TaskIdentity
  readonly #abort = new AbortController()
  #handle: EvaluationHandle | undefined
  #faults = 0
  #faultSquarings = -1
  /** Checkpoints, newest first, that are passed over. */
  #distrusted = 0
  /** Resolves when nothing of this task is at work any more. Never rejects. */
  readonly done: Promise<void>

  constructor(context: RunContext) {
    this.#context = context
    const { id, name, kind } = context.state()
    this.#identity = { taskId: id, name, kind }
    this.done = this.#run().catch((error: unknown) => {
      if (!this.#abort.signal.aborted) context.log.error({ task: id, err: error }, 'the task stopped; it goes on after a restart of the daemon')
    })
  }

  /** The evaluation's progress while one is at work. */
  progress(): EvaluationProgress | undefined {
    return this.#handle?.progress()
  }

  /** Ends the native loop within 200 ms and begins nothing more. */
  stop(): void {
    this.#abort.abort(new Interrupted('the task was stopped'))
    this.#handle?.stop()
  }

  async #run(): Promise<void> {
    const { log } = this.#context
    // The caller finishes its own bookkeeping before the first step.
    await Promise.resolve()
    for (let attempt = 0; !this.#stopped(); ) {
      try {
        await this.#step()
        attempt = 0
      } catch (error) {
        if (this.#abort.signal.aborted) return
        if (isTransient(error) || this.#mayTryAgain(error)) {
          log.warn({ task: this.#identity.taskId, name: this.#identity.name, reason: (error as Error).message, attempt }, 'a step of the task is tried again')
          await this.#pause(attempt++)
        } else {
          log.error({ task: this.#identity.taskId, name: this.#identity.name, err: error }, 'the task failed')
          await this.#persist({ type: 'failed', error: asFailure(error) })
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
        const draft = await steps.commit(this.#identity, state.draft ?? undefined, save, signal)
        this.#record({ type: 'committed', draft }); return;
      }
      case 'pulse': {
        const plan = await steps.plan(this.#identity, held(state.draft), signal)
        this.#record({ type: 'planned', plan }); return;
      }
      case 'evaluate':
        { await this.#evaluate(held(state.plan)); return; }
      case 'reveal': {
        const save = (reveal: Uint8Array): void => this.#record({ type: 'signed', reveal })
        await steps.reveal(this.#identity, held(state.plan), held(state.proof), state.reveal ?? undefined, save, signal)
        await this.#persist({ type: 'published' }); return;
      }
    }
  }

  /** The only way from a step to the journal: after `stop` it throws, so that a step never goes on to its effect. */
  #record(input: TaskInput): void {
    this.#abort.signal.throwIfAborted()
    this.#context.apply(input)
  }

  /** Journals a result that must not be lost, for as long as the store fails. */
  async #persist(input: TaskInput): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        this.#context.apply(input); return;
      } catch (error) {
        if (!(error instanceof StoreError) || this.#abort.signal.aborted) throw error
        this.#context.log.error({ task: this.#identity.taskId, err: error }, 'the store cannot write; the result is kept in memory and written later')
        await this.#pause(attempt)
        this.#abort.signal.throwIfAborted()
      }
    }
  }

  async #pause(attempt: number): Promise<void> {
    const waitMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 16))
    try {
      await this.#context.clock.sleep(waitMs, this.#abort.signal)
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error
    }
  }

  /** Whether to try again after a fault: as long as each try gets further than the one before, and a few times where it does not. */
  #mayTryAgain(error: unknown): boolean {
    if (!(error instanceof EvaluationFault)) return false
    if (error.squarings > this.#faultSquarings) this.#faults = 0
    this.#faultSquarings = error.squarings
    this.#faults++
    // A proof that does not verify comes of a wrong squaring before it: each further try trusts one checkpoint less.
    this.#distrusted = error.code === 'KERNEL_FAULT' ? this.#faults : 0
    return this.#faults < MAX_EVALUATION_FAULTS
  }

  /** From the newest checkpoint that is trusted and that the kernel accepts, else from the beginning. */
  async #evaluate(plan: EvaluationPlan): Promise<void> {
    for (let skip = this.#distrusted; ; skip++) {
      const evaluation = await this.#begin(plan, skip)
      const outcome = await this.#finish(evaluation)
      if (outcome.kind === 'proof') { await this.#persist({ type: 'proved', proof: outcome.proof }); return; }
      this.#abort.signal.throwIfAborted()
      const { squarings } = evaluation.handle.progress()
      if (outcome.kind === 'stopped') throw new EvaluationFault('STOPPED', 'the evaluation was stopped from elsewhere', squarings)
      if (outcome.code !== 'INVALID_CHECKPOINT' || evaluation.resumedFrom === undefined) {
        throw new EvaluationFault(outcome.code, outcome.message, squarings)
      }
      this.#context.log.warn(
        { task: this.#identity.taskId, squarings: evaluation.resumedFrom, reason: outcome.message },
        'a checkpoint is not usable; going back to the one before'
      )
    }
  }

  /** Apart from {@link #finish}, so that nothing holds the loaded intermediates while the evaluation goes on. */
  async #begin(plan: EvaluationPlan, skip: number): Promise<Evaluation> {
    const { dataDir, pool, checkpointSeconds, memoryBytes, log } = this.#context
    const { taskId } = this.#identity
    const directory = taskDirectory(dataDir, taskId)
    const base = await loadCheckpoint(directory, plan, skip)
    const writer = await CheckpointWriter.open(directory, plan, base, (error) =>
      log.warn({ task: taskId, err: error }, 'a checkpoint could not be written; the next one takes its place')
    )
    this.#abort.signal.throwIfAborted()
    const request: EvaluationRequest = {
      seed: plan.seed,
      bits: plan.discriminantBits,
      iterations: plan.iterations,
      split: plan.split,
      checkpointSeconds,
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
      ...(base === undefined ? {} : { resume: base.resume })
    }
    return { handle: pool.evaluate(request, (checkpoint) => writer.accept(checkpoint)), writer, resumedFrom: base?.squarings }
  }

  async #finish({ handle, writer }: Evaluation): Promise<EvaluationOutcome> {
    this.#handle = handle
    try {
      return await handle.outcome
    } finally {
      this.#handle = undefined
      await writer.close()
    }
  }
}

/** Failures of the store, the file system (they carry `syscall`) and whatever the table calls passing. */
function isTransient(error: unknown): boolean {
  if (error instanceof ServiceError) return TRANSIENT_CODES.has(error.code)
  return error instanceof StoreError || (error instanceof Error && 'syscall' in error)
}

function asFailure(error: unknown): TaskFailure {
  if (error instanceof ServiceError) return { code: error.code, message: error.message }
  if (error instanceof EvaluationFault) {
    return { code: 'SVC-INT-001', message: `The computation failed ${MAX_EVALUATION_FAULTS} times at the same place (${error.message}). Check the machine's memory and report it.` }
  }
  return { code: 'SVC-INT-001', message: 'The task met a condition it does not know; the log names it.' }
}

function held<T>(value: T | null): T {
  if (value === null) throw new Error('the journal lacks what this phase needs')
  return value
}
