/** The tasks of claims, as other rooms see them, and the steps of one claim. */
import type { ErrorCode } from '../error-table.ts'
import type { EvaluationPlan } from '../evaluations/state-file.ts'
import type { StoreOperation } from '../store/types.ts'
import type { TaskKind, TaskView } from '../views/task.ts'

/** The evaluation of a claim, with what the claim needs to continue after a restart. */
export interface ClaimPlan extends EvaluationPlan {
  /** Milliseconds since the epoch, or null where nothing is witnessed (renewals). */
  deadlineMs: number | null
  /** {@link ClaimContext} as CBOR. */
  context: Uint8Array
}

/**
 * The steps of one claim. After a crash each must be safe to run again with the same
 * arguments. The manager writes its result to the journal before the next step begins.
 */
export interface TaskSteps {
  /** Squarings the name needs; known before anything is computed. Throws ServiceError for a bad name. */
  iterations(name: string, kind: TaskKind): number
  /**
   * Moments, in milliseconds since the epoch, at which an unpublished claim loses something. Only those known before
   * anything is computed.
   */
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
  plan(task: TaskRef, draft: Uint8Array, signal: AbortSignal): Promise<ClaimPlan>
  /** Sends the commitment of `draft` again, so that the network keeps it; called hourly and on wake. */
  remind(task: TaskRef, draft: Uint8Array, signal: AbortSignal): Promise<void>
  /**
   * What keeps a registration without a commitment from beginning, for now; undefined where nothing does. Until then it
   * takes no slot.
   */
  obstacle?(): { readonly code: ErrorCode; readonly message: string } | undefined
  /**
   * Resolves when the cause of `error` has passed: the step is then tried again at once. Undefined where only time
   * tells. Rejects with the reason of `signal`.
   */
  untilPassed?(error: unknown, signal: AbortSignal): Promise<void> | undefined
  /**
   * Takes back what would be sent again by itself for this task. After it returns nothing more is sent, except by a
   * running step, which has its own signal. Safe to repeat. Throws StoreError.
   * @param sent the Reveal of a task that is cancelled: peers may hold it
   */
  withdraw(task: TaskRef, sent?: Uint8Array): void
  usable(task: TaskRef, plan: ClaimPlan): boolean
  /**
   * Called before squarings begin or resume: rejects with ServiceError where their proof would give nothing any more.
   */
  requireUse(task: TaskRef, plan: ClaimPlan, signal: AbortSignal): Promise<void>
  /**
   * Assembles and signs the reveal (durable before sending: `saveReveal`), verifies it, publishes it. Makes and saves a
   * new one where its contents have changed since.
   */
  reveal(
    task: TaskRef,
    plan: ClaimPlan,
    proof: Uint8Array,
    saved: Uint8Array | undefined,
    saveReveal: (reveal: Uint8Array) => void,
    signal: AbortSignal
  ): Promise<void>
}

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
  start(): Promise<void>
  /** Stops evaluations at a checkpoint; the tasks stay running in the journal. */
  stop(): Promise<void>
  /**
   * `also` is written in one step with the task: where this throws, or a crash comes before, neither is there.
   * Throws ServiceError SVC-REG-002 (with task_id), SVC-STO-001, or for registrations SVC-TSK-002.
   */
  create(request: { name: string; kind: TaskKind }, also?: readonly StoreOperation[]): TaskView
  /** The plan of a finished proof that `create` would take up; undefined where everything would be computed. */
  finishedProof(request: { name: string; kind: TaskKind }): ClaimPlan | undefined
  get(taskId: string): TaskView | undefined
  list(): TaskView[]
  /**
   * Running: stops the native loop within 200 ms and marks it failed with SVC-TSK-003.
   * Ended or cancelled: clears it; with `onlyRunning` throws SVC-TSK-004 and keeps it. False when unknown.
   */
  remove(taskId: string, options?: { onlyRunning?: boolean }): Promise<boolean>
  /** Undefined when unknown. Both throw SVC-TSK-004 for a task that has ended. */
  pause(taskId: string): TaskView | undefined
  resume(taskId: string): TaskView | undefined
  /**
   * Kept events after `lastEventId`, then new ones, until the task ends or `signal` aborts. A slow reader gets the
   * newest progress only; nothing grows.
   */
  events(taskId: string, lastEventId: number | undefined, signal: AbortSignal): AsyncIterable<TaskEvent> | undefined
  /** Records of the store, the journal's among them, that could not be read and were set aside. */
  unreadable(): number
  subscribe(listener: (event: TaskEvent) => void): () => void
}
