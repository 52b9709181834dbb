import type { EvaluationSettings, Log } from '../../evaluations/evaluator.ts'
import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../errors.ts'
import { type Store, type StoreOperation, StoreError } from '../../store/types.ts'
import type { Clock } from '../../time/clock.ts'
import { TaskJournal, type KeptProof } from './journal.ts'
import { deadlinesOf, reported, rest, type Task, TaskLedger } from './ledger.ts'
import { readEarlierProgress, removeEarlierProgress } from '../../evaluations/earlier-progress.ts'
import { Reminders } from './reminders.ts'
import { Retention } from './retention.ts'
import { asObstacle, TaskRun, type ClaimSteps } from './run.ts'
import type { PlannedClaim, TaskEvent, TaskRef, ClaimTasks } from '../tasks.ts'
import { hasEnded, needsSlot, newTask, newTaskWithProof, type TaskInput, type TaskState, CANCELLED } from './task.ts'
import { type FarmPlace, type Place, thisMachine } from '../../evaluations/places.ts'
import type { Evaluation, NativePool } from '../../native/types.ts'
import { type Action, hasFreeSlot, type PlaceFacts, schedule, type TaskFacts } from './scheduler.ts'
import { savedSquarings } from '../../evaluations/checkpoints.ts'
import { EvaluationDirectories, taskDirectory } from '../../evaluations/directories.ts'
import type { TaskKind, TaskPlace, TaskView } from '../../views/task.ts'
import type { OwnerSeed } from '../seed-holder.ts'

/** How often progress is read, saved and shown; the promise is one second. */
const TICK_MS = 500
/** Ids skipped at a restart: more than the unsaved events of a full disk, and of each second since the last saved one. */
const UNSAVED_EVENTS = 1000
const UNSAVED_EVENTS_A_SECOND = 10
const FIRST_EVENT = 1

export interface TaskOptions extends EvaluationSettings {
  readonly maxTasks: number
  readonly queue: number
}

const LOCKED = {
  code: 'SVC-KEY-006',
  message: 'The seed is locked, and the commitment needs its signature. `chronym unlock` lets it continue.'
} as const

interface TaskManagerParts {
  readonly store: Store
  readonly dataDir: string
  readonly pool: Pick<NativePool, 'evaluate'>
  /** More places for evaluations than this machine's. */
  readonly farm?: FarmPlace | undefined
  readonly steps: ClaimSteps
  readonly seed: OwnerSeed
  readonly options: TaskOptions
  readonly clock: Clock
  /**
   * A moment that has certainly passed, in milliseconds since the epoch: that of the newest verified pulse, 0 before
   * the first. Unlike the clock it is never ahead of the time.
   */
  readonly certainMs: () => number
  readonly log: Log
}

export function createTaskManager(dependencies: TaskManagerParts): ClaimTasks {
  return new Tasks(dependencies)
}

class Tasks implements ClaimTasks {
  readonly #with: TaskManagerParts
  readonly #journal: TaskJournal
  readonly #ledger: TaskLedger
  readonly #reminders: Reminders
  readonly #files: EvaluationDirectories
  readonly #retention: Retention
  readonly #here: Place
  /** Not listed any more, but in the journal until no farm has anything of them. */
  readonly #cleared = new Set<TaskState>()
  #accepting = false
  #stopTicking: () => void = () => undefined

  constructor(dependencies: TaskManagerParts) {
    const { store, dataDir, steps, clock, certainMs, log } = dependencies
    this.#with = dependencies
    this.#here = thisMachine(dependencies.pool)
    this.#journal = new TaskJournal(store)
    this.#ledger = new TaskLedger(this.#journal, clock, certainMs)
    this.#files = new EvaluationDirectories(dataDir, log)
    this.#reminders = new Reminders(steps, clock, log)
    this.#retention = new Retention({
      journal: this.#journal,
      ledger: this.#ledger,
      files: this.#files,
      certainMs,
      log
    })
  }

  async start(): Promise<void> {
    const { dataDir } = this.#with
    const earlier = await readEarlierProgress(dataDir)
    for (const entry of this.#journal.load()) {
      const { state } = entry
      const lastEventId = Math.max(entry.lastEventId, earlier.get(state.id)?.lastEventId ?? 0)
      if (hasEnded(state)) {
        // The farm may not have been there when it was cancelled.
        if (state.proof === null || entry.cleared === true) this.#forget({ state })
        if (entry.cleared === true) this.#cleared.add(state)
        else this.#ledger.hold(state, lastEventId)
      } else {
        const progress = Math.max(state.progress, earlier.get(state.id)?.progress ?? 0, await this.#saved(state))
        // Above the ids of events that readers got unsaved.
        const task = this.#hold({ ...state, progress }, lastEventId + this.#unsavedEvents(state))
        this.#ledger.apply(task, { type: 'restarted' })
      }
    }
    await removeEarlierProgress(dataDir)
    await this.#files.removeOrphans((taskId) => {
      const state = this.#ledger.get(taskId)?.state
      return state === undefined ? this.#journal.isAside(taskId) : !hasEnded(state) && state.proof === null
    })
    this.#accepting = true
    this.#stopTicking = this.#with.clock.every(TICK_MS, () => this.#tick())
    this.#schedule()
    this.#ledger.beginEvents()
  }

  /** Squarings of its newest checkpoint. */
  async #saved({ id, plan, proof }: TaskState): Promise<number> {
    if (plan === null || proof !== null) return 0
    try {
      return await savedSquarings(taskDirectory(this.#with.dataDir, id), plan.evaluation)
    } catch (error) {
      this.#with.log.warn({ task: id, err: error }, 'a checkpoint cannot be read; the progress shown begins before it')
      return 0
    }
  }

  #unsavedEvents({ updatedMs }: TaskState): number {
    const seconds = Math.max(0, this.#ledger.nowMs() - updatedMs) / 1000
    return UNSAVED_EVENTS + Math.ceil(seconds * UNSAVED_EVENTS_A_SECOND)
  }

  async stop(): Promise<void> {
    this.#accepting = false
    this.#stopTicking()
    const runs = [...this.#ledger.all()].map((task) => task.run).filter((run) => run !== undefined)
    for (const run of runs) run.stop()
    await Promise.all([...runs.map((run) => run.done), this.#reminders.stop(), this.#files.settled()])
    for (const task of this.#ledger.all()) task.events.close()
  }

  create(request: { name: string; kind: TaskKind }, also: readonly StoreOperation[] = []): TaskView {
    const { name, kind } = request
    const running = this.#ledger.running(name)
    if (running !== undefined) throw runningAlready(name, running.state.id)
    return stored(() => {
      const state = this.#newState(name, kind)
      this.#requirePlace(kind, needsSlot(state))
      this.#journal.save({ state, lastEventId: FIRST_EVENT }, also)
      const task = this.#hold(state, FIRST_EVENT)
      this.#schedule()
      if (task.run === undefined) this.#ledger.announce(task)
      return this.#ledger.view(task)
    })
  }

  requireRoom({ name, kind }: { name: string; kind: TaskKind }): void {
    this.#requirePlace(kind, this.finishedProof({ name, kind }) === undefined)
  }

  get(taskId: string): TaskView | undefined {
    const task = this.#ledger.get(taskId)
    return task === undefined ? undefined : this.#ledger.view(task)
  }

  list(): TaskView[] {
    return this.#ledger.views()
  }

  of(name: string): TaskView[] {
    return this.#ledger.of(name).map((task) => this.#ledger.view(task))
  }

  running(name: string): TaskView | undefined {
    const task = this.#ledger.running(name)
    return task && this.#ledger.view(task)
  }

  async remove(taskId: string, { onlyRunning = false }: { onlyRunning?: boolean } = {}): Promise<boolean> {
    const task = this.#ledger.get(taskId)
    if (task === undefined) return false
    if (onlyRunning) requireRunning(task.state)
    if (hasEnded(task.state)) {
      await task.run?.done
      // Another request may have cleared it since.
      if (this.#ledger.get(taskId) !== task) return false
      await this.#clear(task)
      return true
    }
    const { name, kind, reveal } = task.state
    stored(() => {
      // Before the journal: in the other order, a crash in between would leave a claim that is resent without end.
      this.#with.steps.withdraw({ taskId, name, kind }, reveal ?? undefined)
      this.#ledger.apply(task, { type: 'cancelled' })
    })
    task.run?.stop({ discard: true })
    await Promise.all([task.run?.done, this.#reminders.forget(taskId)])
    this.#forget(task)
    await this.#files.remove(taskId)
    return true
  }

  pause(taskId: string): TaskView | undefined {
    const task = this.#ledger.get(taskId)
    if (task === undefined) return undefined
    requireRunning(task.state)
    stored(() => this.#ledger.apply(task, { type: 'paused' }))
    this.#schedule()
    return this.#ledger.view(task)
  }

  resume(taskId: string): TaskView | undefined {
    const task = this.#ledger.get(taskId)
    if (task === undefined) return undefined
    requireRunning(task.state)
    stored(() => {
      this.#ledger.apply(task, { type: 'unpaused' })
      if (task.run === undefined) this.#ledger.apply(task, { type: 'interrupted' })
    })
    this.#schedule()
    return this.#ledger.view(task)
  }

  move(taskId: string, place: TaskPlace): TaskView | undefined {
    const task = this.#ledger.get(taskId)
    if (task === undefined) return undefined
    requireRunning(task.state)
    this.#requireMovable(task, place)
    stored(() => this.#ledger.apply(task, { type: 'moved', to: place }))
    // Before its seed is known it has nothing to take along.
    if (task.state.plan !== null && placeOf(task) !== place) task.run?.stop()
    this.#schedule()
    return this.#ledger.view(task)
  }

  #requireMovable(task: Task, place: TaskPlace): void {
    const { name, movedTo, proof } = task.state
    const whyNot = place === 'farm' ? this.#whyNotSent(task) : undefined
    if (proof === null && whyNot !== undefined)
      throw new ServiceError('SVC-TSK-005', `The farm does not take the task of ${name}. ${whyNot}`)
    const now = this.#with.farm === undefined ? 'local' : placeOf(task)
    const isThere = (movedTo ?? now) === place && (now ?? place) === place
    if (proof === null && !isThere) return
    const why = proof === null ? `is at the place '${place}' already` : 'has its proof: nothing is left to compute'
    throw new ServiceError('SVC-TSK-006', `The task of ${name} ${why}.`)
  }

  events(taskId: string, lastEventId: number | undefined, signal: AbortSignal): AsyncIterable<TaskEvent> | undefined {
    const task = this.#ledger.get(taskId)
    if (task === undefined) return undefined
    // An id that this daemon never gave does not tell what its reader has seen.
    return task.events.read(lastEventId === undefined || lastEventId > task.lastEventId ? 0 : lastEventId, signal)
  }

  unreadable(): number {
    return this.#journal.countAside()
  }

  subscribe(listener: (event: TaskEvent) => void): () => void {
    return this.#ledger.subscribe(listener)
  }

  finishedProof({ name, kind }: { name: string; kind: TaskKind }): PlannedClaim | undefined {
    return this.#usableProof({ taskId: '', name, kind })?.plan
  }

  /** A finished proof of the same name and kind, while it would still be accepted. */
  #usableProof(task: TaskRef): KeptProof | undefined {
    const kept = this.#journal.keptProof(task.kind, task.name)
    return kept !== undefined && !kept.spent && this.#with.steps.usable(task, kept.plan) ? kept : undefined
  }

  #newState(name: string, kind: TaskKind): TaskState {
    const nowMs = this.#ledger.nowMs()
    const order = Math.max(0, ...[...this.#ledger.all()].map((task) => task.state.order)) + 1
    const task = { id: randomUUID(), name, kind, order, iterations: this.#with.steps.iterations(name, kind) }
    const kept = this.#usableProof({ taskId: task.id, name, kind })
    return kept === undefined ? newTask(task, nowMs) : newTaskWithProof(task, kept, nowMs)
  }

  /**
   * For a registration. A renewal always has a place, or its name would lapse; one task a name and one renewal a name
   * bound their number.
   */
  #requirePlace(kind: TaskKind, takesSlot: boolean): void {
    if (kind !== 'register' || !takesSlot) return
    const { queue } = this.#with.options
    // Paused ones count too.
    const waiting = this.#unended().filter(
      ({ state, run }) => state.kind === 'register' && run === undefined && needsSlot(state)
    )
    if (waiting.length < queue || hasFreeSlot(this.#facts(), this.#placeFacts())) return
    throw new ServiceError('SVC-TSK-002', `${queue} registrations wait already, as many as vdf.queue allows.`, {
      retryAfter: 60
    })
  }

  #hold(state: TaskState, lastEventId: number): Task {
    return this.#ledger.hold(state, lastEventId, this.#with.steps.deadlinesMs(state.name, state.kind))
  }

  /** Asks what is to be done, and does it. */
  #schedule(): void {
    if (!this.#accepting) return
    for (const action of schedule(this.#ledger.nowMs(), this.#facts(), this.#placeFacts())) this.#carryOut(action)
  }

  #unended(): Task[] {
    return [...this.#ledger.all()].filter(({ state }) => !hasEnded(state))
  }

  #placeFacts(): PlaceFacts {
    const { farm, options } = this.#with
    return { slots: options.maxTasks, farm: farm && { isThere: farm.isThere(), room: farm.room() } }
  }

  #facts(): TaskFacts[] {
    const { isLocked } = this.#with.seed
    // One that has ended has its slot until its run has.
    const all = [...this.#ledger.all()].filter(({ state, run }) => !hasEnded(state) || run !== undefined)
    return all.map((task) => {
      const { id, order, kind, paused, committed, movedTo } = task.state
      return {
        id,
        order,
        deadlinesMs: deadlinesOf(task),
        isPaused: paused || hasEnded(task.state),
        isProved: !needsSlot(task.state),
        // Its commitment is signed.
        needsSeed: isLocked && kind === 'register' && !committed,
        movedTo,
        work: task.run && {
          asks: task.asking !== undefined,
          at: task.at,
          hasBegun: task.run.progress() !== undefined,
          isStopping: task.run.isStopping || hasEnded(task.state)
        },
        waitsFor: task.waitsFor,
        farm: this.#farmsWordOn(task)
      }
    })
  }

  #farmsWordOn(task: Task): TaskFacts['farm'] {
    const { farm } = this.#with
    const { plan } = task.state
    if (farm === undefined || plan === null) return undefined
    const worksOnIt = farm.isAtWork(plan.evaluation)
    task.isTakenBack &&= worksOnIt
    return {
      takes: farm.accepts(plan.evaluation),
      worksOnIt: worksOnIt && !task.isTakenBack,
      holdsIt: task.asking?.isHeldByFarm === true
    }
  }

  #carryOut(action: Action): void {
    const task = this.#ledger.get(action.task)
    if (task === undefined) return
    switch (action.do) {
      case 'begin':
        this.#begin(task)
        return
      case 'evaluate-here':
        task.asking?.give('local')
        return
      case 'evaluate-there':
      case 'take-up':
        task.asking?.give('farm')
        return
      case 'stop':
        task.run?.stop()
        return
      case 'wait':
        task.waitsFor = action.for
        this.#ledger.stall(task, action.for === 'seed' ? LOCKED : null)
    }
  }

  /** Resolves when the scheduler has a place for an evaluation. */
  async #placeFor(task: Task, evaluation: Evaluation, signal: AbortSignal): Promise<Place> {
    const { farm } = this.#with
    task.at = undefined
    const isHeldByFarm = farm?.accepts(evaluation) === true && (await farm.holds(evaluation))
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Place>()
    const give = (at: TaskPlace): void => {
      task.at = at
      task.asking = undefined
      resolve(at === 'farm' ? farm! : this.#here)
    }
    const stopped = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', stopped)
    task.asking = { isHeldByFarm, give }
    this.#schedule()
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', stopped)
    }
  }

  /** Why the farm does not take it now; undefined where it does. */
  #whyNotSent({ state: { plan } }: Task): string | undefined {
    const { farm } = this.#with
    if (farm === undefined) return 'vdf.farm names none.'
    if (plan !== null && !farm.accepts(plan.evaluation)) return 'It has failed there twice, or no worker took it.'
    return farm.isThere() ? undefined : 'None of its workers can be reached.'
  }

  #begin(task: Task): void {
    try {
      this.#ledger.apply(task, { type: 'started' })
    } catch (error) {
      const obstacle = asObstacle(error)
      if (task.stalled?.code !== obstacle.code)
        this.#with.log.warn({ task: task.state.id, err: error }, 'a task could not be started, and is tried again')
      this.#ledger.stall(task, obstacle)
      return
    }
    task.waitsFor = undefined
    this.#ledger.stall(task, null)
    const { dataDir, steps, seed, options, clock, log } = this.#with
    const run = new TaskRun({
      dataDir,
      place: (evaluation, signal) => this.#placeFor(task, evaluation, signal),
      steps,
      seed,
      settings: { checkpointSeconds: options.checkpointSeconds, memoryBytes: options.memoryBytes },
      clock,
      log,
      state: () => task.state,
      apply: (input) => this.#applyResult(task, input),
      stalled: (by) => this.#ledger.stall(task, by),
      rested: () => rest(task)
    })
    task.run = run
    void run.done.then(() => this.#ended(task))
  }

  #applyResult(task: Task, input: TaskInput): void {
    this.#ledger.apply(task, input)
    if (input.type === 'proved' || input.type === 'failed') this.#forget(task)
    if (input.type !== 'proved') return
    this.#files.discard(task.state.id)
    this.#schedule()
  }

  /** Its evaluation is of no use to anybody any more. */
  #forget({ state: { plan } }: Pick<Task, 'state'>): void {
    if (plan !== null) this.#with.farm?.forget(plan.evaluation)
  }

  #isForgotten({ plan }: TaskState): boolean {
    return plan === null || this.#with.farm?.hasForgotten(plan.evaluation) !== false
  }

  #ended(task: Task): void {
    task.run = undefined
    task.at = undefined
    task.asking = undefined
    rest(task)
    if (!this.#accepting) return
    task.isTakenBack ||= this.#farmsWordOn(task)?.worksOnIt === true
    try {
      this.#ledger.stall(task, null)
      this.#ledger.apply(task, { type: 'interrupted' })
      this.#schedule()
    } catch (error) {
      // The next tick tries again, not this turn of the event loop.
      this.#with.log.warn({ task: task.state.id, err: error }, 'the journal could not be written')
    }
  }

  #showProgress(task: Task, clockMs: number): void {
    const input = reported(task, clockMs)
    if (input === undefined) return
    try {
      this.#ledger.apply(task, input)
    } catch (error) {
      this.#with.log.warn({ task: task.state.id, err: error }, 'the journal could not be written')
    }
  }

  #tick(): void {
    const clockMs = this.#with.clock.now()
    const nowMs = this.#ledger.nowMs()
    for (const task of this.#ledger.all()) {
      this.#showProgress(task, clockMs)
      const deadlineMs = task.state.plan?.deadlineMs ?? null
      if (deadlineMs !== null && nowMs > deadlineMs && !task.overdueSaid && !hasEnded(task.state)) {
        task.overdueSaid = true
        this.#with.log.warn(
          { task: task.state.id, name: task.state.name },
          'the deadline has passed: the claim will be taken provisionally at first'
        )
      }
    }
    this.#reminders.tick([...this.#ledger.all()].map((task) => task.state))
    this.#schedule()
    this.#ledger.tellPlaces()
    this.#retention.tick(nowMs)
    this.#dropCleared()
  }

  async #clear(task: Task): Promise<void> {
    const { state } = task
    const isForgotten = this.#isForgotten(state)
    stored(() => this.#ledger.drop(task, isForgotten))
    if (!isForgotten) this.#cleared.add(state)
    await this.#files.remove(state.id)
  }

  #dropCleared(): void {
    for (const state of this.#cleared) {
      if (!this.#isForgotten(state)) continue
      this.#cleared.delete(state)
      try {
        this.#journal.remove(state.id)
      } catch (error) {
        this.#with.log.warn({ task: state.id, err: error }, 'a cleared task stays in the journal until the next start')
      }
    }
  }
}

/** Where it squares; undefined while it does not. */
function placeOf({ run }: Task): TaskPlace | undefined {
  const progress = run?.progress()
  return progress && (progress.worker === undefined ? 'local' : 'farm')
}

/** Runs what a user asked for: failures of the store become SVC-STO-001. */
function stored<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new ServiceError('SVC-STO-001', 'The task journal cannot be written; nothing was changed.', { cause: error })
  }
}

/** Throws SVC-TSK-004 for a task that has ended. */
function requireRunning({ id, name, kind, status, error }: TaskState): void {
  if (status === 'running') return
  const how = status === 'completed' ? 'is completed' : error?.code === CANCELLED.code ? 'was cancelled' : 'has failed'
  throw new ServiceError(
    'SVC-TSK-004',
    `The ${kind === 'register' ? 'registration' : 'renewal'} of ${name} ${how} (${id}); nothing of it runs any more.`
  )
}

export function runningAlready(name: string, taskId: string): ServiceError {
  return new ServiceError('SVC-REG-002', `A task for ${name} is running already (${taskId}).`, {
    extensions: { task_id: taskId }
  })
}
