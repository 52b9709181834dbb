import type { Pace } from '../../evaluations/pace.ts'
import type { TaskRun } from './run.ts'
import type { TaskEventLog } from './event-log.ts'
import { needsSlot, type TaskFailure, type TaskState } from './state.ts'
import type { TaskActivity } from './view.ts'

/** One task as the daemon holds it: what the journal has, and what only matters while it runs. */
export interface Task {
  state: TaskState
  lastEventId: number
  readonly events: TaskEventLog
  /** Those that were known before it began. */
  readonly deadlinesMs: readonly number[]
  run: TaskRun | undefined
  activity: TaskActivity | undefined
  readonly squaringPace: Pace
  readonly provingPace: Pace
  stalled: TaskFailure | null
  overdueSaid: boolean
  toldPlace: number | null
}

/** Whether it has a slot. */
export function isAtWork({ run, state }: Task): boolean {
  return run !== undefined && needsSlot(state)
}

export function rest(task: Task): void {
  task.activity = undefined
  task.squaringPace.rest()
  task.provingPace.rest()
}
