/** The claims of docs/tasks.md, checked against what each crash left and what readers of the events received. */
import type { TaskView } from '../../src/views/task.ts'
import type { Remains, TaskRemains } from './remains.ts'

/** What was known of a task: it must not change. */
interface Known {
  readonly taskId: string
  remains: TaskRemains | undefined
  /** The highest value reported since the last start. */
  progress: number
  lastEventId: number
  ends: number
  resumed: number
}

export class Claims {
  readonly violations: string[] = []
  /** Commitments that were replaced because they had grown too old before their pulse was chosen. */
  redrafts = 0
  /** The most squaring that a crash has cost, in seconds at the measured rate. */
  maxRepeatedSeconds = 0
  readonly #checkpointSeconds: number
  readonly #known = new Map<string, Known>()
  /** Squarings a second: the fastest that was measured, so that the seconds above are no fewer than they were. */
  #rate = 0

  constructor(checkpointSeconds: number) {
    this.#checkpointSeconds = checkpointSeconds
  }

  lastEventId(taskId: string): number {
    return this.#of(taskId).lastEventId
  }

  /** Squarings from which the daemon will go on, as far as the last remains tell. */
  checkpoint(taskId: string): number {
    return this.#of(taskId).remains?.checkpoint ?? 0
  }

  /** An event that a reader got. */
  told(id: number, task: TaskView): void {
    const known = this.#of(task.task_id)
    this.#hold(id > known.lastEventId, `${task.task_id}: event ${id} came after ${known.lastEventId}`)
    this.#hold(known.ends === 0, `${task.task_id}: event ${id} came after its end`)
    this.#hold(
      task.progress >= known.progress,
      `${task.task_id}: progress went back from ${known.progress} to ${task.progress}`
    )
    this.#hold(task.resumed >= known.resumed, `${task.task_id}: resumed went back`)
    this.#hold(task.error === null, `${task.task_id}: ${task.error?.code ?? ''} ${task.error?.message ?? ''}`)
    known.lastEventId = id
    known.progress = Math.max(known.progress, task.progress)
    known.resumed = task.resumed
    if (task.status !== 'running') known.ends++
    if (task.phase === 'evaluate') this.#rate = Math.max(this.#rate, task.iterations_per_second ?? 0)
  }

  /** What a crash left. */
  left({ tasks, ownedNames, damage }: Remains): void {
    for (const sentence of damage) this.violations.push(sentence)
    this.#hold(new Set(ownedNames).size === ownedNames.length, `a name is owned twice: ${ownedNames.join(', ')}`)
    for (const [taskId, remains] of tasks) this.#leftOf(this.#of(taskId), remains, ownedNames)
    for (const { taskId, remains } of this.#known.values()) {
      this.#hold(remains === undefined || tasks.has(taskId), `${taskId} is gone from the journal`)
    }
  }

  #leftOf(known: Known, now: TaskRemains, ownedNames: readonly string[]): void {
    const { taskId, remains: before } = known
    const { state } = now
    if (state.status === 'completed')
      this.#hold(ownedNames.includes(state.name), `${taskId} is completed, but ${state.name} is not owned`)
    if (state.proof !== null) this.#hold(same(now.keptProof, state.proof), `${taskId}: its finished proof is not kept`)
    if (now.ownRecord !== undefined && state.kind === 'register' && state.status === 'running') {
      this.#hold(same(now.ownRecord, state.reveal), `${taskId}: a Reveal was sent that is not the one of the journal`)
    }
    if (before !== undefined) this.#unchanged(taskId, before, now)
    if (state.plan !== null && state.proof === null && this.#rate > 0) {
      const repeated = known.progress - now.checkpoint
      const seconds = Math.max(0, repeated / this.#rate)
      this.maxRepeatedSeconds = Math.max(this.maxRepeatedSeconds, seconds)
      this.#hold(seconds <= this.#checkpointSeconds, `${taskId}: the crash costs ${seconds.toFixed(2)} s of squaring`)
    }
    known.remains = now
    // It may go back to the checkpoint.
    known.progress = Math.min(known.progress, now.checkpoint)
  }

  #unchanged(taskId: string, before: TaskRemains, now: TaskRemains): void {
    const [was, is] = [before.state, now.state]
    for (const field of ['name', 'kind', 'order', 'createdMs'] as const)
      this.#hold(was[field] === is[field], `${taskId}: ${field} has changed`)
    this.#hold(was.status === 'running' || was.status === is.status, `${taskId}: was ${was.status}, is ${is.status}`)
    if (was.draft !== null && !same(was.draft, is.draft)) {
      // The pulse round joins the draft when the commitment counts; before, it may be replaced once it is too old.
      this.#hold(!was.committed, `${taskId}: its commitment has changed`)
      if (!is.committed) this.redrafts++
    }
    if (was.plan !== null) {
      this.#hold(
        is.plan !== null &&
          same(was.plan.evaluation.seed, is.plan.evaluation.seed) &&
          same(was.plan.context, is.plan.context) &&
          was.plan.evaluation.iterations === is.plan.evaluation.iterations,
        `${taskId}: its pulse or seed has changed`
      )
    }
    if (was.proof !== null) this.#hold(same(was.proof, is.proof), `${taskId}: its proof has changed`)
    if (was.reveal !== null) this.#hold(same(was.reveal, is.reveal), `${taskId}: its Reveal has changed`)
    if (is.proof === null)
      this.#hold(
        now.checkpoint >= before.checkpoint,
        `${taskId}: the checkpoint went back from ${before.checkpoint} to ${now.checkpoint}`
      )
  }

  hold(holds: boolean, sentence: string): void {
    this.#hold(holds, sentence)
  }

  #hold(holds: boolean, sentence: string): void {
    if (!holds) this.violations.push(sentence)
  }

  #of(taskId: string): Known {
    let known = this.#known.get(taskId)
    if (known === undefined)
      this.#known.set(
        taskId,
        (known = { taskId, remains: undefined, progress: 0, lastEventId: 0, ends: 0, resumed: 0 })
      )
    return known
  }
}

function same(left: Uint8Array | null | undefined, right: Uint8Array | null | undefined): boolean {
  return left != null && right != null && Buffer.compare(left, right) === 0
}
