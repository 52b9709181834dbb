/** How a task went, in words. Pure. */
import type { TaskView } from '../../views/task.ts'
import type { Style } from '../terminal/output.ts'

/** So much of a task's id tells it from the others. */
export const SHORT_ID = 8

/** The specification's `failed` holds both; a person wants to tell them apart. */
export function isCancelled({ status, error }: Pick<TaskView, 'status' | 'error'>): boolean {
  return status === 'failed' && error?.code === 'SVC-TSK-003'
}

/** Of a task that has ended: "is completed", "was cancelled", "has failed". */
export function taskOutcome(task: Pick<TaskView, 'status' | 'error'>): string {
  if (task.status === 'completed') return 'is completed'
  return isCancelled(task) ? 'was cancelled' : 'has failed'
}

/** One word for a table, with its colour. */
export function taskWord(task: TaskView): { word: string; style: Style | undefined } {
  if (isCancelled(task)) return { word: 'cancelled', style: 'yellow' }
  if (task.status === 'failed') return { word: 'failed', style: 'red' }
  if (task.status === 'completed') return { word: 'completed', style: 'green' }
  if (task.paused) return { word: 'paused', style: 'cyan' }
  if (task.stalled !== null) return { word: `${task.phase}, waits (${task.stalled.code})`, style: 'cyan' }
  return {
    word: task.queue_position === null ? task.phase : `${task.phase} (${task.queue_position})`,
    style: undefined
  }
}
