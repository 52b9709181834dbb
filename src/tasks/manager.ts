import { randomUUID } from 'node:crypto'
import { ServiceError } from '../errors.ts'
import type { NativePool } from '../native/types.ts'
import { StoreError, type Store } from '../store/types.ts'
import type { Clock } from './clock.ts'
import { eventOf, eventType, TaskEventLog } from './event-log.ts'
import { PROOF_KEPT_MS, TaskJournal, type JournalEntry } from './journal.ts'
import { Reminders } from './reminders.ts'
import { TaskRun, type TaskLog } from './run.ts'
import { Pace } from './pace.ts'
import { openProgressLog, type ProgressLog, type Shown } from './progress-log.ts'
import { CANCELLED, hasEnded, needsSlot, newTask, newTaskWithProof, transition, type TaskInput, type TaskState } from './state.ts'
import { TaskFiles } from './task-files.ts'
import type { TaskEvent, TaskManager, TaskSteps, TaskView } from './types.ts'
import { taskView, type TaskActivity } from './view.ts'

/** How often progress is read, saved and shown; the promise is one second. */
const TICK_MS = 500

export interface TaskOptions {
  /** `vdf.max_tasks`: evaluations at once. */
  readonly maxTasks: number
  /** `vdf.queue`: tasks that may wait for a slot. */
  readonly queue: number
  /** `vdf.checkpoint_seconds`: squaring that a crash may cost. */
  readonly checkpointSeconds: number
  /** Bound for the intermediates of one evaluation; the kernel's default when left out. */
  readonly memoryBytes?: number
}

export interface TaskManagerDependencies {
  readonly store: Store
  readonly dataDir: string
  readonly pool: Pick<NativePool, 'evaluate'>
  readonly steps: TaskSteps
  readonly options: TaskOptions
  readonly clock: Clock
  readonly log: TaskLog
  /** Default: files in `dataDir`. */
  readonly progress?: ProgressLog
}

/** What an evaluation reports. */
type Advance = Extract<TaskInput, { type: 'advanced' }>

interface Task {
  state: TaskState
  lastEventId: number
  readonly events: TaskEventLog
  run: TaskRun | undefined
  activity: TaskActivity | undefined
  readonly squaringPace: Pace
  readonly provingPace: Pace
  overdueSaid: boolean
}

/** Makes the manager; `start` takes up what the journal holds. */
export function createTaskManager(dependencies: TaskManagerDependencies): TaskManager {
  return new Manager(dependencies)
}

class Manager implements TaskManager {
  readonly #with: TaskManagerDependencies
  readonly #journal: TaskJournal
  readonly #reminders: Reminders
  readonly #tasks = new Map<string, Task>()
  readonly #listeners = new Set<(event: TaskEvent) => void>()
  readonly #files: TaskFiles
  readonly #progress: ProgressLog
  /** Progress on its way to the disk. */
  #showing: Promise<void> | undefined
  #progressFails = false
  #accepting = false
  #stopTicking: () => void = () => undefined

  constructor(dependencies: TaskManagerDependencies) {
    this.#with = dependencies
    this.#journal = new TaskJournal(dependencies.store)
    this.#files = new TaskFiles(dependencies.dataDir, dependencies.log)
    this.#progress = dependencies.progress ?? openProgressLog(dependencies.dataDir)
    this.#reminders = new Reminders(dependencies.steps, dependencies.clock, dependencies.log)
  }

  async start(): Promise<void> {
    const { clock } = this.#with
    this.#journal.purgeProofs(clock.now())
    const shown = await this.#progress.load()
    for (const entry of this.#journal.load()) {
      const { state, lastEventId } = withShown(entry, shown.get(entry.state.id))
      const task = this.#hold(state, lastEventId)
      if (!hasEnded(state)) this.#apply(task, { type: 'restarted' })
      else if (state.updatedMs + PROOF_KEPT_MS < clock.now()) await this.#clear(task)
    }
    await this.#files.removeOrphans((taskId) => {
      const state = this.#tasks.get(taskId)?.state
      return state !== undefined && !hasEnded(state) && state.proof === null
    })
    this.#accepting = true
    this.#stopTicking = clock.every(TICK_MS, () => this.#tick())
    this.#schedule()
  }

  async stop(): Promise<void> {
    this.#accepting = false
    this.#stopTicking()
    const runs = [...this.#tasks.values()].map((task) => task.run).filter((run) => run !== undefined)
    for (const run of runs) run.stop()
    await Promise.all([...runs.map((run) => run.done), this.#reminders.stop(), this.#files.settled(), this.#showing])
    await this.#progress.close()
    for (const task of this.#tasks.values()) task.events.close()
  }

  create(request: { name: string; kind: 'register' | 'renew' }): TaskView {
    const { name, kind } = request
    const running = [...this.#tasks.values()].find((task) => task.state.name === name && !hasEnded(task.state))
    if (running !== undefined) {
      const detail = `A task for ${name} is running already (${running.state.id}).`
      throw new ServiceError('SVC-REG-002', detail, { extensions: { task_id: running.state.id } })
    }
    const state = this.#newState(name, kind)
    if (needsSlot(state) && this.#freeSlots() <= 0 && this.#waiting() >= this.#with.options.queue) {
      throw new ServiceError('SVC-TSK-002', `${this.#with.options.queue} tasks wait already, as many as vdf.queue allows.`, { retryAfter: 60 })
    }
    try {
      this.#journal.save({ state, lastEventId: 0 })
    } catch (error) {
      throw asServiceError(error)
    }
    const task = this.#hold(state, 0)
    this.#schedule()
    return this.#view(task)
  }

  get(taskId: string): TaskView | undefined {
    const task = this.#tasks.get(taskId)
    return task === undefined ? undefined : this.#view(task)
  }

  list(): TaskView[] {
    return this.#ordered().map((task) => this.#view(task))
  }

  async remove(taskId: string): Promise<boolean> {
    const task = this.#tasks.get(taskId)
    if (task === undefined) return false
    if (hasEnded(task.state)) {
      const repeated = task.state.error?.code === CANCELLED.code
      await task.run?.done
      await this.#clear(task)
      return !repeated
    }
    this.#change(task, { type: 'cancelled' })
    task.run?.stop()
    await Promise.all([task.run?.done, this.#reminders.forget(taskId)])
    await this.#files.remove(taskId)
    return true
  }

  pause(taskId: string): TaskView | undefined {
    const task = this.#tasks.get(taskId)
    if (task === undefined) return undefined
    this.#change(task, { type: 'paused' })
    if (task.state.paused) task.run?.stop()
    return this.#view(task)
  }

  resume(taskId: string): TaskView | undefined {
    const task = this.#tasks.get(taskId)
    if (task === undefined) return undefined
    this.#change(task, { type: 'unpaused' })
    if (task.run === undefined) this.#change(task, { type: 'interrupted' })
    this.#schedule()
    return this.#view(task)
  }

  events(taskId: string, lastEventId: number | undefined, signal: AbortSignal): AsyncIterable<TaskEvent> | undefined {
    const task = this.#tasks.get(taskId)
    if (task === undefined) return undefined
    // An id we never gave says nothing of what its reader has seen.
    return task.events.read(lastEventId === undefined || lastEventId > task.lastEventId ? 0 : lastEventId, signal)
  }

  subscribe(listener: (event: TaskEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A finished proof of the same name and kind is taken up while it would still be accepted. */
  #newState(name: string, kind: 'register' | 'renew'): TaskState {
    const { steps, clock } = this.#with
    const order = Math.max(0, ...[...this.#tasks.values()].map((task) => task.state.order)) + 1
    const task = { id: randomUUID(), name, kind, order, iterations: steps.iterations(name, kind) }
    const kept = this.#journal.keptProof(kind, name)
    const usable = kept !== undefined && !kept.spent && steps.usable({ taskId: task.id, name, kind }, kept.plan)
    return usable ? newTaskWithProof(task, kept, clock.now()) : newTask(task, clock.now())
  }

  #hold(state: TaskState, lastEventId: number): Task {
    const task: Task = { state, lastEventId, events: new TaskEventLog(), run: undefined, activity: undefined, squaringPace: new Pace(), provingPace: new Pace(), overdueSaid: false }
    this.#tasks.set(state.id, task)
    // A reader that comes after a restart begins with what is known now.
    if (lastEventId > 0) task.events.append({ id: lastEventId, type: eventType(state, 'phase'), task: this.#view(task) })
    return task
  }

  #ordered(): Task[] {
    return [...this.#tasks.values()].sort((left, right) => left.state.order - right.state.order)
  }

  #freeSlots(): number {
    const taken = [...this.#tasks.values()].filter((task) => task.run !== undefined && needsSlot(task.state)).length
    return this.#with.options.maxTasks - taken
  }

  #waiting(): number {
    return [...this.#tasks.values()].filter((task) => !hasEnded(task.state) && task.run === undefined && needsSlot(task.state)).length
  }

  /** Gives free slots to the tasks that wait, oldest first. */
  #schedule(): void {
    if (!this.#accepting) return
    for (const task of this.#ordered()) {
      if (task.run !== undefined || task.state.paused || hasEnded(task.state)) continue
      if (!needsSlot(task.state) || this.#freeSlots() > 0) this.#begin(task)
    }
  }

  #begin(task: Task): void {
    try {
      this.#apply(task, { type: 'started' })
    } catch (error) {
      // The next tick tries again.
      this.#with.log.warn({ task: task.state.id, err: error }, 'a task could not be started'); return;
    }
    const { dataDir, pool, steps, options, clock, log } = this.#with
    const run = new TaskRun({
      dataDir,
      pool,
      steps,
      checkpointSeconds: options.checkpointSeconds,
      memoryBytes: options.memoryBytes,
      clock,
      log,
      state: () => task.state,
      apply: (input) => this.#apply(task, input)
    })
    task.run = run
    void run.done.then(() => this.#ended(task))
  }

  #ended(task: Task): void {
    task.run = undefined
    task.activity = undefined
    task.squaringPace.rest()
    task.provingPace.rest()
    if (!this.#accepting) return
    try {
      this.#apply(task, { type: 'interrupted' })
      this.#schedule()
    } catch (error) {
      // The next tick tries again, not this turn of the event loop.
      this.#with.log.warn({ task: task.state.id, err: error }, 'the journal could not be written')
    }
  }

  /** Journal first, then the state stands, then the event goes out. Progress is on disk already, see {@link #showProgress}. */
  #apply(task: Task, input: TaskInput): void {
    const before = task.state
    const next = transition(before, input, this.#with.clock.now())
    if (next === before) return
    const type = eventOf(before, next)
    const lastEventId = task.lastEventId + (type === undefined ? 0 : 1)
    if (next.proof !== null && (before.proof === null || hasEnded(next))) this.#journal.saveWithProof({ state: next, lastEventId }, this.#with.clock.now())
    else if (type !== 'progress') this.#journal.save({ state: next, lastEventId })
    task.state = next
    task.lastEventId = lastEventId
    if (type !== undefined) this.#emit(task, type)
    if (input.type === 'proved') {
      this.#files.discard(next.id)
      this.#schedule()
    }
  }

  /** As `#apply`, for what a user asks: failures of the store become SVC-STO-001. */
  #change(task: Task, input: TaskInput): void {
    try {
      this.#apply(task, input)
    } catch (error) {
      throw asServiceError(error)
    }
  }

  #emit(task: Task, type: TaskEvent['type']): void {
    const event: TaskEvent = { id: task.lastEventId, type, task: this.#view(task) }
    task.events.append(event)
    for (const listener of this.#listeners) listener(event)
  }

  #view(task: Task): TaskView {
    return taskView(task.state, task.activity)
  }

  #tick(): void {
    const nowMs = this.#with.clock.now()
    // While the disk is slow, what is shown grows older; nothing piles up.
    this.#showing ??= this.#showProgress(nowMs).finally(() => (this.#showing = undefined))
    for (const task of this.#tasks.values()) {
      const deadlineMs = task.state.plan?.deadlineMs ?? null
      if (deadlineMs !== null && nowMs > deadlineMs && !task.overdueSaid && !hasEnded(task.state)) {
        task.overdueSaid = true
        this.#with.log.warn({ task: task.state.id, name: task.state.name }, 'the deadline has passed: the claim will be taken provisionally at first')
      }
    }
    this.#reminders.tick([...this.#tasks.values()].map((task) => task.state))
    this.#schedule()
  }

  /** Reads every evaluation and shows how far it is, once that is on disk: what was shown once is never taken back. Never rejects. */
  async #showProgress(nowMs: number): Promise<void> {
    const advances: { task: Task; input: Advance; eventId: number }[] = []
    const shown = new Map<string, Shown>()
    for (const task of this.#tasks.values()) {
      if (hasEnded(task.state)) continue
      const input = this.#look(task, nowMs)
      const next = input === undefined ? task.state : transition(task.state, input, nowMs)
      const eventId = task.lastEventId + (next === task.state ? 0 : 1)
      shown.set(task.state.id, { progress: next.progress, lastEventId: eventId })
      if (input !== undefined && next !== task.state) advances.push({ task, input, eventId })
    }
    if (advances.length === 0) return
    try {
      await this.#progress.save(shown)
      this.#progressFails = false
    } catch (error) {
      if (!this.#progressFails) this.#with.log.warn({ err: error }, 'progress cannot be saved, so it is not shown; the computation goes on')
      this.#progressFails = true
      return
    }
    for (const { task, input, eventId } of advances) {
      // Paused, cancelled or finished meanwhile: that says more.
      if (task.lastEventId + 1 !== eventId) continue
      try {
        this.#apply(task, input)
      } catch (error) {
        this.#with.log.warn({ task: task.state.id, err: error }, 'the journal could not be written')
      }
    }
  }

  /** What a task's evaluation reports now; undefined while none is at work, or is being stopped. */
  #look(task: Task, nowMs: number): Advance | undefined {
    const evaluation = task.run?.progress()
    if (evaluation === undefined || task.state.paused) return undefined
    const phase = evaluation.phase === 'squaring' ? 'evaluate' : 'prove'
    if (phase === 'evaluate') task.squaringPace.push(nowMs, evaluation.squarings)
    else task.provingPace.push(nowMs, evaluation.phaseProgress)
    task.activity = { evaluation, squaringsPerSecond: task.squaringPace.perSecond, provedPerSecond: task.provingPace.perSecond }
    return { type: 'advanced', phase, squarings: evaluation.squarings, phaseProgress: evaluation.phaseProgress }
  }

  async #clear(task: Task): Promise<void> {
    try {
      this.#journal.remove(task.state.id)
    } catch (error) {
      throw asServiceError(error)
    }
    this.#tasks.delete(task.state.id)
    task.events.close()
    await this.#files.remove(task.state.id)
  }
}

/** What the journal holds, with what was shown since it was written. */
function withShown({ state, lastEventId }: JournalEntry, shown: Shown | undefined): JournalEntry {
  if (shown === undefined) return { state, lastEventId }
  return { state: { ...state, progress: Math.max(state.progress, shown.progress) }, lastEventId: Math.max(lastEventId, shown.lastEventId) }
}

function asServiceError(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error
  return new ServiceError('SVC-STO-001', 'The task journal cannot be written; nothing was changed.', { cause: error })
}
