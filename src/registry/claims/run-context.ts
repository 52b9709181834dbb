import type { EvaluationSettings, Log } from '../../evaluations/evaluation.ts'
import type { NativePool } from '../../native/types.ts'
import type { Clock } from '../../time/clock.ts'
import type { TaskFailure, TaskInput, TaskState } from './state.ts'
import type { TaskSteps } from '../tasks.ts'

export interface RunContext {
  readonly dataDir: string
  readonly pool: Pick<NativePool, 'evaluate'>
  readonly steps: TaskSteps
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
