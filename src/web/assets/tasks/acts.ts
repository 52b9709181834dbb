/** What is done to tasks, each after its question. Without a page: what asks and what sends are arguments. */
import type { OwnedNameView, Post, TaskView } from '../lib/api.ts'
import type { Ask } from '../parts/dialog.ts'
import { cancelQuestion, registerQuestion, renewQuestion } from '../questions.ts'

type Kind = TaskView['kind']

/**
 * `owned`: the name as GET /api/names has it, undefined for one that is not ours. Resolves to what the daemon says,
 * undefined where nothing was started.
 */
export async function startTask(
  { post, ask }: { post: Post; ask: Ask },
  kind: Kind,
  name: string,
  owned?: OwnedNameView
): Promise<string | undefined> {
  const estimate = await post('/api/vdf/estimate', { name })
  const question =
    kind === 'register' ? registerQuestion(name, estimate) : owned === undefined ? null : renewQuestion(owned, estimate)
  if (question !== null && !(await ask(question))) return undefined
  const { message } = await post(`/api/vdf/${kind}` as const, { name }, { 'Idempotency-Key': crypto.randomUUID() })
  return message
}

/** Squarings a second, of this task or of this machine; null where neither is known. */
async function rateOf(post: Post, { name, iterations_per_second: rate }: TaskView): Promise<number | null> {
  if (rate !== null) return rate
  return post('/api/vdf/estimate', { name }).then(
    (estimate) => estimate.iterations_per_second,
    () => null
  )
}

/**
 * Cancels a running task, after a question where work is lost; clears one that has ended. `taskNow`: the task as it is
 * shown.
 */
export async function removeTask(
  { post, remove, ask }: { post: Post; remove: (path: string) => Promise<unknown>; ask: Ask },
  taskNow: () => TaskView | undefined
): Promise<void> {
  const task = taskNow()
  if (task === undefined) return
  if (task.status === 'running') {
    const question = task.progress === 0 ? null : cancelQuestion(task, await rateOf(post, task))
    if (question !== null && !(await ask(question))) return
    // Meanwhile it may have ended: the same request would clear it.
    if (taskNow()?.status !== 'running') throw new Error(`The task of ${task.name} ended before it was cancelled.`)
  }
  // What ends before the request arrives is refused, not cleared.
  await remove(`/api/vdf/status/${encodeURIComponent(task.task_id)}${task.status === 'running' ? '?only=running' : ''}`)
}
