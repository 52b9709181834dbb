import { rest, type Task } from './task.ts'
import type { Clock } from '../../time/clock.ts'
import { eventOf, eventType, TaskEventLog } from './event-log.ts'
import type { TaskJournal } from './journal.ts'
import { Pace } from '../../evaluations/pace.ts'
import { byTurn, nextDeadlineMs, type Turn } from '../../evaluations/queue.ts'
import { isQueued, transition, type TaskFailure, type TaskInput, type TaskState } from './state.ts'
import type { TaskEvent } from '../tasks.ts'
import type { TaskView } from '../../views/task.ts'
import { taskView } from './view.ts'

/**
 * The tasks held. A change is first in the journal (progress in its own log, see progress.ts), then in memory, then its
 * event goes out.
 */
export class TaskLedger {
  readonly #journal: TaskJournal
  readonly #clock: Clock
  readonly #certainMs: () => number
  readonly #tasks = new Map<string, Task>()
  readonly #listeners = new Set<(event: TaskEvent) => void>()

  /** `certainMs`: a moment that has certainly passed. */
  constructor(journal: TaskJournal, clock: Clock, certainMs: () => number) {
    this.#journal = journal
    this.#clock = clock
    this.#certainMs = certainMs
  }

  /** The time by the clock, unless that is behind what is certain. */
  nowMs(): number {
    return Math.max(this.#clock.now(), this.#certainMs())
  }

  hold(state: TaskState, lastEventId: number, deadlinesMs: readonly number[] = []): Task {
    const task: Task = {
      state,
      lastEventId,
      events: new TaskEventLog(),
      deadlinesMs,
      run: undefined,
      activity: undefined,
      squaringPace: new Pace(),
      provingPace: new Pace(),
      stalled: null,
      overdueSaid: false,
      toldPlace: null
    }
    this.#tasks.set(state.id, task)
    return task
  }

  /** After a restart: a reader begins with what is known now, not with the steps that led to it. */
  beginAnew(task: Task): void {
    if (task.lastEventId === 0) return
    const event: TaskEvent = { id: task.lastEventId, type: eventType(task.state, 'phase'), task: this.view(task) }
    task.toldPlace = event.task.queue_position
    task.events.beginWith(event)
  }

  /** Takes a task out of journal and memory. Throws StoreError with nothing changed. */
  drop(task: Task): void {
    this.#journal.remove(task.state.id)
    this.#tasks.delete(task.state.id)
    task.events.close()
  }

  get(taskId: string): Task | undefined {
    return this.#tasks.get(taskId)
  }

  all(): IterableIterator<Task> {
    return this.#tasks.values()
  }

  ordered(): Task[] {
    return [...this.#tasks.values()].sort((left, right) => left.state.order - right.state.order)
  }

  /** Throws StoreError with nothing changed. */
  apply(task: Task, input: TaskInput): void {
    const before = task.state
    const nowMs = this.nowMs()
    const next = transition(before, input, nowMs)
    if (next === before) return
    const type = eventOf(before, next)
    const lastEventId = task.lastEventId + (type === undefined ? 0 : 1)
    const isProved = next.proof !== null && (before.proof === null || next.status !== 'running')
    if (isProved) this.#journal.saveWithProof({ state: next, lastEventId }, nowMs)
    else if (type !== 'progress') this.#journal.save({ state: next, lastEventId })
    task.state = next
    task.lastEventId = lastEventId
    if (next.status !== 'running') task.stalled = null
    if (type !== undefined) this.#emit(task, type)
  }

  /**
   * Shows what blocks a task. The event is not saved: nothing durable depends on it, and a full disk may be its cause.
   */
  stall(task: Task, by: TaskFailure | null): void {
    if (task.stalled?.code === by?.code && task.stalled?.message === by?.message) return
    task.stalled = by
    if (by !== null) rest(task)
    task.lastEventId++
    this.#emit(task, eventType(task.state, 'phase'))
  }

  announce(task: Task): void {
    this.#emit(task, eventType(task.state, 'phase'))
  }

  /** Tells waiting tasks their new place, unsaved: a restart tells it again. */
  tellPlaces(): void {
    for (const [index, { task }] of this.#waiting().entries()) {
      if (index + 1 === task.toldPlace) continue
      task.lastEventId++
      this.#emit(task, 'progress')
    }
  }

  turnOf(task: Task): Turn & { readonly task: Task } {
    const { state, deadlinesMs } = task
    const witnessedMs = state.plan?.deadlineMs ?? null
    const deadlineMs = nextDeadlineMs(witnessedMs === null ? deadlinesMs : [witnessedMs], this.nowMs())
    return { task, order: state.order, deadlineMs }
  }

  /** Those that wait for a slot, in the order of their turns. */
  #waiting(): { readonly task: Task }[] {
    return byTurn([...this.#tasks.values()].filter(({ state }) => isQueued(state)).map((task) => this.turnOf(task)))
  }

  view(task: Task): TaskView {
    const { activity, stalled } = task
    return taskView(task.state, {
      activity,
      stalled,
      queuePosition: isQueued(task.state) ? 1 + this.#waiting().findIndex((waiting) => waiting.task === task) : null
    })
  }

  subscribe(listener: (event: TaskEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #emit(task: Task, type: TaskEvent['type']): void {
    const event: TaskEvent = { id: task.lastEventId, type, task: this.view(task) }
    task.toldPlace = event.task.queue_position
    task.events.append(event)
    for (const listener of this.#listeners) listener(event)
  }
}
