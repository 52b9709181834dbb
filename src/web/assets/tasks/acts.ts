/** What is done to tasks, each after its question. Without a page: what asks and what sends are arguments. */
import { cancelQuestion, registerQuestion, renewQuestion } from '../questions.ts'

/**
 * `owned`: the name as GET /api/names has it, undefined for one that is not ours. Resolves to what the daemon says,
 * undefined where nothing was started.
 */
export async function startTask({ post, ask }, kind, name, owned) {
  const estimate = await post('/api/vdf/estimate', { name })
  const question =
    kind === 'register' ? registerQuestion(name, estimate) : owned === undefined ? null : renewQuestion(owned, estimate)
  if (question !== null && !(await ask(question))) return undefined
  const { message } = await post(`/api/vdf/${kind}`, { name }, { 'Idempotency-Key': crypto.randomUUID() })
  return message
}

/** Squarings a second, of this task or of this machine; null where neither is known. */
async function rateOf(post, { name, iterations_per_second: rate }) {
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
export async function removeTask({ post, remove, ask }, taskNow) {
  const task = taskNow()
  if (task.status === 'running') {
    const question = task.progress === 0 ? null : cancelQuestion(task, await rateOf(post, task))
    if (question !== null && !(await ask(question))) return
    // Meanwhile it may have ended: the same request would clear it.
    if (taskNow()?.status !== 'running') throw new Error(`The task of ${task.name} ended before it was cancelled.`)
  }
  // What ends before the request arrives is refused, not cleared.
  await remove(`/api/vdf/status/${encodeURIComponent(task.task_id)}${task.status === 'running' ? '?only=running' : ''}`)
}
