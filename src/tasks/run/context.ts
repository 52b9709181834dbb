/** What the run of a task is given. */
import type { NativePool } from '../../native/types.ts'
import type { Clock } from '../../time/clock.ts'
import type { TaskFailure, TaskInput, TaskState } from '../state/state.ts'
import type { TaskLog, TaskSteps } from '../types.ts'

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
  /** Shows what keeps the task from going on, or that nothing does. */
  stalled(by: TaskFailure | null): void
  /** Told before an evaluation begins: how fast the one before got on says nothing of how far this one is. */
  rested(): void
}
