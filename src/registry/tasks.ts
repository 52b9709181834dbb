/** The tasks of claims, as other rooms see them, and the steps of one claim. */
import type { Evaluation } from '../native/types.ts'
import type { StoreOperation } from '../store/types.ts'
import type { TaskKind, TaskPlace, TaskView } from '../views/task.ts'

/** An evaluation, with what its claim needs to continue after a restart. */
export interface PlannedClaim {
  evaluation: Evaluation
  /** Milliseconds since the epoch, or null where nothing is witnessed (renewals). */
  deadlineMs: number | null
  /** {@link ClaimContext} as CBOR. */
  context: Uint8Array
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
  finishedProof(request: { name: string; kind: TaskKind }): PlannedClaim | undefined
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
   * It goes on there from what it has reached, and stays there over a restart. Undefined when unknown. Throws
   * ServiceError SVC-TSK-004 (ended), SVC-TSK-005 (the farm does not take it) or SVC-TSK-006 (nothing to move).
   */
  move(taskId: string, place: TaskPlace): TaskView | undefined
  /**
   * Kept events after `lastEventId`, then new ones, until the task ends or `signal` aborts. A slow reader gets the
   * newest progress only; nothing grows.
   */
  events(taskId: string, lastEventId: number | undefined, signal: AbortSignal): AsyncIterable<TaskEvent> | undefined
  /** Records of the store, the journal's among them, that could not be read and were set aside. */
  unreadable(): number
  subscribe(listener: (event: TaskEvent) => void): () => void
}

/** With the index by name that the registry asks. */
export interface ClaimTasks extends TaskManager {
  /** Those for one name, oldest first. */
  of(name: string): TaskView[]
  /** The one of a name that has not ended. */
  running(name: string): TaskView | undefined
  /** Throws ServiceError SVC-TSK-002 where `create` would. */
  requireRoom(request: { name: string; kind: TaskKind }): void
}
