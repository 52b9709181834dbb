/** How a task went, in words. Pure. */
import type { TaskView } from '../../views/task.ts'
import type { Client } from '../../api/client/client.ts'
import { spellName, TypedNameError } from '../../util/typed-name.ts'
import type { Style } from '../terminal/output.ts'
import { EXIT, Failure } from '../failures/failure.ts'

/** So much of a task's id tells it from the others. */
export const SHORT_ID = 8

/** The specification's `failed` holds both; a person wants to tell them apart. */
export function isCancelled({ status, error }: Pick<TaskView, 'status' | 'error'>): boolean {
  return status === 'failed' && error?.code === 'SVC-TSK-003'
}

/** How a task ended: "is completed", "was cancelled", "has failed". */
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

/** A whole id. */
const TASK_ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/u

/**
 * The id of the task meant by `text`: an id, its beginning as a table shows it, or a name in any spelling. For a
 * name it is the running task, else the newest.
 */
export async function taskIdOf(client: Pick<Client, 'tasks'>, text: string): Promise<string> {
  if (TASK_ID.test(text)) return text
  const tasks = await client.tasks()
  const [begun, other] = tasks.filter(({ task_id: id }) => id === text || id.slice(0, SHORT_ID) === text)
  if (begun !== undefined && other === undefined) return begun.task_id
  const wanted = spelt(text)
  const named = tasks.filter(({ name }) => name === wanted || name.slice(0, name.indexOf('.')) === wanted)
  const task = named.findLast(({ status }) => status === 'running') ?? named.at(-1)
  if (task !== undefined) return task.task_id
  // Ids hold no dot, names one at least. The daemon explains an unknown or ambiguous id.
  if (!text.includes('.')) return text
  throw new Failure('SVC-TSK-001', `There is no task for ${text}.`, {
    exitCode: EXIT.notFound,
    cure: 'List the tasks: chronym tasks.'
  })
}

function spelt(text: string): string {
  try {
    return spellName(text).name
  } catch (error) {
    if (!(error instanceof TypedNameError)) throw error
    return text
  }
}
