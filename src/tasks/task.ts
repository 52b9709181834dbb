import type { Pace } from './run/pace.ts'
import type { TaskRun } from './run/run.ts'
import type { TaskEventLog } from './state/event-log.ts'
import type { TaskFailure, TaskState } from './state/state.ts'
import type { TaskActivity } from './state/view.ts'

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

export function rest(task: Task): void {
  task.activity = undefined
  task.squaringPace.rest()
  task.provingPace.rest()
}
