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
  /** Journals the state after `input`, then applies it. Throws StoreError with nothing changed. */
  apply(input: TaskInput): void
  /** Shows what blocks the task, or that nothing does. */
  stalled(by: TaskFailure | null): void
  /** Called before an evaluation begins: the rate of the previous one says nothing about the start of this one. */
  rested(): void
}
