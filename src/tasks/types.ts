/**
 * VDF tasks: durable, resumable computations. Tasks know neither the network nor the registry;
 * what a claim is made of comes in as {@link TaskSteps}.
 */
import type { ErrorCode } from '../errors.ts'
import type { TaskKind, TaskView } from '../views/task.ts'

/** What is to be computed, fixed and durable before the first squaring. */
export interface EvaluationPlan {
  /** 32 bytes. */
  seed: Uint8Array
  discriminantBits: number
  iterations: number
  /** Squarings of the first of two segments; null for one segment. */
  split: number | null
  /** Milliseconds since the epoch, or null where nothing is witnessed (renewals). */
  deadlineMs: number | null
  /** Opaque to tasks: what the registry needs to go on after a restart (salt, commitment, pulse ...). */
  context: Uint8Array
}

/**
 * The steps of one claim, passed in by the registry. Each must be safe to run again with the same arguments after a
 * crash: the manager writes its result to the journal before the next step begins.
 */
export interface TaskSteps {
  /** Squarings the name needs; known before anything is computed. Throws ServiceError for a bad name. */
  iterations(name: string, kind: TaskKind): number
  /**
   * Moments, in milliseconds since the epoch, at which something is lost unless the claim was published: those that are
   * known before anything is computed.
   */
  deadlinesMs(name: string, kind: TaskKind): readonly number[]
  /**
   * Makes the commitment (register) and publishes it; returns what `plan` needs. Its context is saved by `saveDraft`
   * before anything is sent, so that a crash never sends two commitments for one task.
   */
  commit(
    task: TaskRef,
    draft: Uint8Array | undefined,
    saveDraft: (draft: Uint8Array) => void,
    signal: AbortSignal
  ): Promise<Uint8Array>
  /** Waits for the pulse and returns the plan. */
  plan(task: TaskRef, draft: Uint8Array, signal: AbortSignal): Promise<EvaluationPlan>
  /** Sends the commitment of `draft` to the network again, so that it is kept; called hourly and on wake. */
  remind(task: TaskRef, draft: Uint8Array, signal: AbortSignal): Promise<void>
  /**
   * What keeps a registration without a commitment from beginning, for now; undefined where nothing does. It takes no
   * slot meanwhile.
   */
  obstacle?(): { readonly code: ErrorCode; readonly message: string } | undefined
  /**
   * Resolves when the cause of `error` has passed, and the step is tried again at once; undefined where only time
   * tells. Rejects with the reason of `signal`.
   */
  untilPassed?(error: unknown, signal: AbortSignal): Promise<void> | undefined
  /**
   * Takes back what would be sent again by itself for this task: nothing of it is sent after this returns, but for a
   * step that is under way and has its own signal. Safe to repeat. Throws StoreError.
   */
  withdraw(task: TaskRef): void
  /** Whether a proof finished earlier for this plan would still be accepted. */
  usable(task: TaskRef, plan: EvaluationPlan): boolean
  /**
   * Assembles and signs the reveal (durable before sending: `saveReveal`), verifies it, publishes it. Makes and saves
   * it anew where what it carries has changed since.
   */
  reveal(
    task: TaskRef,
    plan: EvaluationPlan,
    proof: Uint8Array,
    saved: Uint8Array | undefined,
    saveReveal: (reveal: Uint8Array) => void,
    signal: AbortSignal
  ): Promise<void>
}

/** Which task, for a step. */
export interface TaskRef {
  readonly taskId: string
  readonly name: string
  readonly kind: TaskKind
}

export interface TaskEvent {
  /** Increases with each event of a task; the SSE id. */
  readonly id: number
  readonly type: 'progress' | 'phase' | 'completed' | 'failed'
  readonly task: TaskView
}

export interface TaskManager {
  /** Takes up what the journal holds. */
  start(): Promise<void>
  /** Stops evaluations at a checkpoint and leaves the tasks running in the journal. */
  stop(): Promise<void>
  /** Throws ServiceError SVC-REG-002 (with task_id), SVC-STO-001, or for registrations SVC-TSK-002. */
  create(request: { name: string; kind: TaskKind }): TaskView
  /** The plan of a finished proof that `create` would take up; undefined where everything would be computed. */
  finishedProof(request: { name: string; kind: TaskKind }): EvaluationPlan | undefined
  get(taskId: string): TaskView | undefined
  list(): TaskView[]
  /**
   * Running: stops the native loop within 200 ms and marks it failed with SVC-TSK-003. Ended, cancelled too: clears it,
   * or with `onlyRunning` throws SVC-TSK-004 and leaves it. False when unknown.
   */
  remove(taskId: string, options?: { onlyRunning?: boolean }): Promise<boolean>
  /** Undefined when unknown. Both throw SVC-TSK-004 for a task that has ended. */
  pause(taskId: string): TaskView | undefined
  resume(taskId: string): TaskView | undefined
  /**
   * Events after `lastEventId` as far as they are kept, then new ones, until the task ends or `signal` aborts.
   * A slow reader gets the newest progress only; nothing grows.
   */
  events(taskId: string, lastEventId: number | undefined, signal: AbortSignal): AsyncIterable<TaskEvent> | undefined
  /** Records of the store, the journal's among them, that could not be read and were set aside. */
  unreadable(): number
  /** Every task's events, for the event stream and metrics. */
  subscribe(listener: (event: TaskEvent) => void): () => void
}

/** The part of a pino logger that is used here. */
export interface TaskLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
