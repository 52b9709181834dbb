import type { TaskView } from '../../views/task.ts'

/** What the daemon's event stream says of a task; `error` is the code of one that failed or was cancelled. */
export function taskEventDetail({ task_id, name, kind, phase, status, error }: TaskView): Record<string, unknown> {
  return { task_id, name, kind, phase, status, ...(error !== null && { error: error.code }) }
}
