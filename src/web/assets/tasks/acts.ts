/** What is done to tasks, each after its question. Without a page: what asks and what sends are arguments. */
import type { Estimate, FarmView, OwnedNameView, Post, TaskPlace, TaskView } from '../lib/api.ts'
import { count, duration } from '../lib/words.ts'
import type { Ask, Question } from '../parts/dialog.ts'

/** Longer work needs a confirmation, seconds. */
const ASK_FROM_SECONDS = 5 * 60
/** Discarding more work than this needs a confirmation, seconds. */
const ASK_LOST_FROM_SECONDS = 60
/** A renewal that adds less than this share of a lease gains little. */
const LITTLE_GAIN = 0.5

/** What the questions need of an estimate. */
type Cost = Pick<Estimate, 'iterations' | 'seconds' | 'queued_seconds' | 'proof_kept'>

/** What a task costs on this machine, in one line. */
export function costLine({ iterations, seconds, queued_seconds: queued, proof_kept: isKept }: Cost): string {
  if (isKept) return 'A finished proof is kept here; only publishing is left'
  const waiting = queued > 0 ? `, of which ${duration(queued)} waiting for the tasks before it` : ''
  return `About ${duration(seconds)} on this machine (${count(iterations)} squarings)${waiting}`
}

/** Waiting for other tasks is no work. */
const isLong = ({ seconds, queued_seconds: queued }: Cost): boolean => seconds - queued > ASK_FROM_SECONDS

/** `estimate`: of POST /api/vdf/estimate. A name that this daemon owns is refused by the daemon, which says why. */
export function registerQuestion(name: string, estimate: Cost & Pick<Estimate, 'kind'>): Question | null {
  if (estimate.kind !== 'register' || !isLong(estimate)) return null
  return {
    title: `Register ${name}?`,
    lines: [`${costLine(estimate)}.`, 'You can pause it, and it resumes after a restart. Cancelling loses the work.'],
    yes: 'Register',
    no: 'Not now'
  }
}

type Renewed = Pick<OwnedNameView, 'name' | 'lease_end'> & {
  renewal: Pick<OwnedNameView['renewal'], 'left' | 'state' | 'due'>
}

/** `owned`: of GET /api/names. `estimate`: as for a registration. */
export function renewQuestion(
  { name, lease_end: end, renewal: { left, state, due } }: Renewed,
  estimate: Cost & Pick<Estimate, 'kind' | 'lease_start' | 'lease_end'>
): Question | null {
  const leaseEnd = Date.parse(estimate.lease_end)
  const gained = (leaseEnd - Date.parse(end)) / 1000
  const lease = (leaseEnd - Date.parse(estimate.lease_start)) / 1000
  const gainsLittle = gained < LITTLE_GAIN * lease
  if (!gainsLittle && !isLong(estimate)) return null
  // The estimate of a lost name is that of a registration, which is more.
  const bound = estimate.kind === 'renew' ? '' : 'At most as much as registering it: '
  const lines = [`${bound}${costLine(estimate)}.`]
  if (gainsLittle) lines.push(`It gains only ${duration(gained)} of a lease of ${duration(lease)}.`)
  lines.push(`It spends one of the ${count(left)} renewals that are left.`)
  if (state === 'scheduled' && due !== null && Date.parse(due) > Date.now())
    lines.push(`The daemon renews it automatically in ${duration((Date.parse(due) - Date.now()) / 1000)}.`)
  return { title: `Renew ${name}?`, lines, yes: 'Renew', no: 'Not now' }
}

/** `rate`: squarings a second, null where it is not known. */
export function cancelQuestion(
  { kind, name, phase, progress, iterations }: Pick<TaskView, 'kind' | 'name' | 'phase' | 'progress' | 'iterations'>,
  rate: number | null
): Question | null {
  const done = rate === null || rate <= 0 ? null : progress / rate
  if (progress === 0 || (done !== null && done <= ASK_LOST_FROM_SECONDS)) return null
  const share = `${Math.floor((100 * progress) / iterations)}%`
  const work =
    done === null
      ? `${count(progress)} squarings (${share})`
      : `About ${duration(done)} of work (${share} of its squarings)`
  const lines =
    phase === 'reveal'
      ? [`Its finished proof is kept for 30 days. If you ${kind} the name again, the daemon reuses it.`]
      : [`${work} would be lost. The task would have to start from the beginning.`]
  return { title: `Cancel: ${kind} ${name}?`, lines, yes: 'Cancel the task', no: 'Keep it' }
}

/**
 * `owned`: the name as GET /api/names has it, undefined for one that is not ours. Resolves to what the daemon says,
 * undefined where nothing was started.
 */
export async function startTask(
  { post, ask }: { post: Post; ask: Ask },
  kind: TaskView['kind'],
  name: string,
  owned?: Renewed
): Promise<string | undefined> {
  const estimate = await post('/api/vdf/estimate', { name })
  const question =
    kind === 'register' ? registerQuestion(name, estimate) : owned === undefined ? null : renewQuestion(owned, estimate)
  if (question !== null && !(await ask(question))) return undefined
  const { message } = await post(`/api/vdf/${kind}` as const, { name }, { 'Idempotency-Key': crypto.randomUUID() })
  return message
}

/**
 * Where a running task can be moved to; null without a farm, without a worker of it, or once nothing is left to compute.
 */
export function otherPlace(
  { phase, place, moved_to: movedTo }: Pick<TaskView, 'phase' | 'place' | 'moved_to'>,
  farm: Pick<FarmView, 'enabled' | 'workers'> | undefined
): TaskPlace | null {
  if (farm?.enabled !== true || phase === 'reveal') return null
  if ((place ?? movedTo) === 'farm') return 'local'
  return farm.workers.length > 0 ? 'farm' : null
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
