import type { Clock } from '../../time/clock.ts'
import { eventOf, eventType, TaskEventLog } from './event-log.ts'
import type { TaskJournal } from './journal.ts'
import { Pace } from '../../evaluations/pace.ts'
import { byTurn, nextDeadlineMs, type Turn } from '../../evaluations/turns.ts'
import { isQueued, transition, type TaskFailure, type TaskInput, type TaskState, hasEnded } from './task.ts'
import type { TaskEvent } from '../tasks.ts'
import type { TaskPlace, TaskView } from '../../views/task.ts'
import type { Reason } from './scheduler.ts'
import type { TaskRun } from './run.ts'
import type { PlaceProgress } from '../../evaluations/places.ts'

/**
 * The tasks held. A change is first in the journal (progress in memory alone), then in memory, then its
 * event goes out.
 */
export class TaskLedger {
  readonly #journal: TaskJournal
  readonly #clock: Clock
  readonly #certainMs: () => number
  readonly #tasks = new Map<string, Task>()
  readonly #byName = new Map<string, Set<Task>>()
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
      at: undefined,
      asking: undefined,
      isTakenBack: false,
      waitsFor: undefined,
      activity: undefined,
      squaringPace: new Pace(),
      provingPace: new Pace(),
      stalled: null,
      overdueSaid: false,
      toldPlace: null
    }
    this.#tasks.set(state.id, task)
    this.#byName.set(state.name, (this.#byName.get(state.name) ?? new Set()).add(task))
    return task
  }

  /** After a restart: a reader begins with what is known now, not with the steps that led to it. */
  beginEvents(): void {
    const places = this.#places()
    for (const task of this.#tasks.values()) {
      if (task.lastEventId === 0) continue
      const view = this.#view(task, places)
      task.toldPlace = view.queue_position
      task.events.beginWith({ id: task.lastEventId, type: eventType(task.state, 'phase'), task: view })
    }
  }

  /**
   * Takes a task out of memory, and out of the journal once no farm has anything of it. Throws StoreError with nothing
   * changed.
   */
  drop(task: Task, isForgotten = true): void {
    const { state, lastEventId } = task
    if (isForgotten) this.#journal.remove(state.id)
    else this.#journal.save({ state, lastEventId, cleared: true })
    this.#tasks.delete(task.state.id)
    const ofName = this.#byName.get(task.state.name)
    ofName?.delete(task)
    if (ofName?.size === 0) this.#byName.delete(task.state.name)
    task.events.close()
  }

  get(taskId: string): Task | undefined {
    return this.#tasks.get(taskId)
  }

  all(): IterableIterator<Task> {
    return this.#tasks.values()
  }

  ordered(): Task[] {
    return inOrder(this.#tasks.values())
  }

  /** Those for one name, oldest first. */
  of(name: string): Task[] {
    return inOrder(this.#byName.get(name) ?? [])
  }

  /** The one of a name that has not ended: there is one at most. */
  running(name: string): Task | undefined {
    return this.of(name).find(({ state }) => !hasEnded(state))
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
    const places = this.#places()
    for (const [task, place] of places) {
      if (place === task.toldPlace) continue
      task.lastEventId++
      this.#emit(task, 'progress', places)
    }
  }

  /** Of those that wait for a slot, from 1. */
  #places(): ReadonlyMap<Task, number> {
    const nowMs = this.nowMs()
    const waiting = [...this.#tasks.values()].filter(({ state }) => isQueued(state))
    return new Map(byTurn(waiting.map((task) => turnOf(task, nowMs))).map(({ task }, index) => [task, index + 1]))
  }

  view(task: Task): TaskView {
    return this.#view(task)
  }

  /** Oldest first. */
  views(): TaskView[] {
    const places = this.#places()
    return inOrder(this.#tasks.values()).map((task) => this.#view(task, places))
  }

  #view(task: Task, places?: ReadonlyMap<Task, number>): TaskView {
    const { activity, stalled, state } = task
    const queuePosition = isQueued(state) ? (places ?? this.#places()).get(task)! : null
    return taskView(state, { activity, stalled, queuePosition })
  }

  subscribe(listener: (event: TaskEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #emit(task: Task, type: TaskEvent['type'], places?: ReadonlyMap<Task, number>): void {
    const event: TaskEvent = { id: task.lastEventId, type, task: this.#view(task, places) }
    task.toldPlace = event.task.queue_position
    task.events.append(event)
    for (const listener of this.#listeners) listener(event)
  }
}

function turnOf(task: Task, nowMs: number): Turn & { readonly task: Task } {
  return { task, order: task.state.order, deadlineMs: nextDeadlineMs(deadlinesOf(task), nowMs) }
}

/** In milliseconds since the epoch. */
export function deadlinesOf({ state, deadlinesMs }: Task): readonly number[] {
  const witnessedMs = state.plan?.deadlineMs ?? null
  return witnessedMs === null ? deadlinesMs : [witnessedMs]
}

function inOrder(tasks: Iterable<Task>): Task[] {
  return [...tasks].sort((left, right) => left.state.order - right.state.order)
}

/** One task as the daemon holds it: what the journal has, and what only matters while it runs. */
export interface Task {
  state: TaskState
  lastEventId: number
  readonly events: TaskEventLog
  /** Those that were known before it began. */
  readonly deadlinesMs: readonly number[]
  run: TaskRun | undefined
  /** Where its run squares. */
  at: TaskPlace | undefined
  /** Its run waits for a place. */
  asking: { readonly isHeldByFarm: boolean; readonly give: (at: TaskPlace) => void } | undefined
  /** Its run ended while a worker said that it had it: until the worker stops saying so, its word counts nothing. */
  isTakenBack: boolean
  waitsFor: Reason | undefined
  activity: TaskActivity | undefined
  readonly squaringPace: Pace
  readonly provingPace: Pace
  stalled: TaskFailure | null
  overdueSaid: boolean
  toldPlace: number | null
}

/** The evaluation's report of now; undefined while none is at work, or the task has ended or is paused. */
export function reported(task: Task, nowMs: number): Extract<TaskInput, { type: 'advanced' }> | undefined {
  const evaluation = task.run?.progress()
  if (evaluation === undefined || task.state.paused || hasEnded(task.state)) return undefined
  // Its thread has not begun: its starting point is unknown, and would count as work done at once.
  if (evaluation.squarings === 0 && evaluation.squaringsPerSecond === 0) return undefined
  const phase = evaluation.phase === 'squaring' ? 'evaluate' : 'prove'
  if (phase === 'evaluate') task.squaringPace.push(nowMs, evaluation.squarings)
  else task.provingPace.push(nowMs, evaluation.phaseProgress)
  task.activity = {
    evaluation,
    squaringsPerSecond: task.squaringPace.perSecond,
    provedPerSecond: task.provingPace.perSecond
  }
  return { type: 'advanced', phase, squarings: evaluation.squarings, phaseProgress: evaluation.phaseProgress }
}

export function rest(task: Task): void {
  task.activity = undefined
  task.squaringPace.rest()
  task.provingPace.rest()
}

/** Measurements of a task at work; not durable. */
interface TaskActivity {
  readonly evaluation: PlaceProgress
  /** Over minutes, see pace.ts; undefined until progress was seen. */
  readonly squaringsPerSecond: number | undefined
  /** Share of the proving phase done in a second, as above. */
  readonly provedPerSecond: number | undefined
}

/** What is known of a task beside its state; not durable. */
interface TaskCircumstances {
  readonly activity: TaskActivity | undefined
  readonly stalled: TaskFailure | null
  readonly queuePosition: number | null
}

function taskView(state: TaskState, { activity, stalled, queuePosition }: TaskCircumstances): TaskView {
  const rate =
    activity === undefined || activity.evaluation.squaringsPerSecond <= 0
      ? null
      : activity.evaluation.squaringsPerSecond
  return {
    task_id: state.id,
    name: state.name,
    kind: state.kind,
    status: state.status,
    phase: state.phase,
    paused: state.paused,
    queue_position: queuePosition,
    stalled,
    iterations: state.iterations,
    progress: state.progress,
    phase_progress: state.phaseProgress,
    moved_to: state.movedTo,
    place: activity === undefined ? null : activity.evaluation.worker === undefined ? 'local' : 'farm',
    worker: activity?.evaluation.worker ?? null,
    iterations_per_second: rate === null ? null : Math.round(rate),
    eta_seconds: etaSeconds(state, activity),
    deadline: isoTime(state.plan?.deadlineMs ?? null),
    created_at: new Date(state.createdMs).toISOString(),
    updated_at: new Date(state.updatedMs).toISOString(),
    resumed: state.resumed,
    error: state.error === null ? null : { code: state.error.code, message: state.error.message }
  }
}

/** Until the proof is there: null where nothing is computed (queued, paused, committing) or no rate is known yet. */
function etaSeconds(state: TaskState, activity: TaskActivity | undefined): number | null {
  if (state.status === 'completed') return 0
  if (activity === undefined || state.plan === null || state.paused) return null
  const { evaluation, squaringsPerSecond, provedPerSecond } = activity
  if (state.phase === 'prove' && provedPerSecond !== undefined)
    return Math.ceil((1 - state.phaseProgress) / provedPerSecond)
  const rate = squaringsPerSecond ?? evaluation.squaringsPerSecond
  return rate > 0 && (state.phase === 'evaluate' || state.phase === 'prove')
    ? Math.ceil(evaluation.remaining / rate)
    : null
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/** What the daemon's event stream says of a task; `error` is the code of one that failed or was cancelled. */
export function taskEventDetail({ task_id, name, kind, phase, status, error }: TaskView): Record<string, unknown> {
  return { task_id, name, kind, phase, status, ...(error !== null && { error: error.code }) }
}
