import type { Log } from '../../evaluations/evaluator.ts'
import type { Clock } from '../../time/clock.ts'
import type { JournalEntry } from './journal.ts'
import type { TaskLedger, Task } from './ledger.ts'
import type { ProgressLog, Shown, ShownTasks } from '../../evaluations/progress-log.ts'
import { hasEnded, transition, type TaskInput } from './state.ts'

type Advance = Extract<TaskInput, { type: 'advanced' }>

/** Reads the progress of evaluations, and shows it once it is on disk: what was shown is never taken back. */
export class TaskProgress {
  readonly #ledger: TaskLedger
  readonly #disk: ProgressLog
  readonly #clock: Clock
  readonly #log: Log
  #showing: Promise<void> | undefined
  #fails = false

  constructor(ledger: TaskLedger, disk: ProgressLog, clock: Clock, log: Log) {
    this.#ledger = ledger
    this.#disk = disk
    this.#clock = clock
    this.#log = log
  }

  load(): Promise<ShownTasks> {
    return this.#disk.load()
  }

  /** While the disk is slow, what is shown grows older; nothing queues up. */
  tick(): void {
    this.#showing ??= this.#show().finally(() => (this.#showing = undefined))
  }

  async close(): Promise<void> {
    await this.#showing
    await this.#disk.close()
  }

  /** Never rejects. */
  async #show(): Promise<void> {
    const nowMs = this.#ledger.nowMs()
    const advances: { task: Task; input: Advance; eventId: number }[] = []
    const shown = new Map<string, Shown>()
    for (const task of this.#ledger.all()) {
      if (hasEnded(task.state)) continue
      const input = this.#look(task)
      const next = input === undefined ? task.state : transition(task.state, input, nowMs)
      const eventId = task.lastEventId + (next === task.state ? 0 : 1)
      shown.set(task.state.id, { progress: next.progress, lastEventId: eventId })
      if (input !== undefined && next !== task.state) advances.push({ task, input, eventId })
    }
    if (advances.length === 0) return
    try {
      await this.#disk.save(shown)
      this.#fails = false
    } catch (error) {
      if (!this.#fails)
        this.#log.warn(
          { err: error },
          'progress cannot be saved, so it is not shown; the computation continues while its checkpoints are saved'
        )
      this.#fails = true
      return
    }
    for (const { task, input, eventId } of advances) {
      // Paused, cancelled or finished since: that says more.
      if (task.lastEventId + 1 !== eventId) continue
      try {
        this.#ledger.apply(task, input)
      } catch (error) {
        this.#log.warn({ task: task.state.id, err: error }, 'the journal could not be written')
      }
    }
  }

  /** What a task's evaluation reports now; undefined while none is at work, or it is stopping. */
  #look(task: Task): Advance | undefined {
    const evaluation = task.run?.progress()
    if (evaluation === undefined || task.state.paused) return undefined
    // Its thread has not begun: its starting point is unknown, and would count as work done at once.
    if (evaluation.squarings === 0 && evaluation.squaringsPerSecond === 0) return undefined
    const nowMs = this.#clock.now()
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
}

/** What the journal holds, with the progress shown since it was written. */
export function withShown({ state, lastEventId }: JournalEntry, shown: Shown | undefined): JournalEntry {
  if (shown === undefined) return { state, lastEventId }
  return {
    state: { ...state, progress: Math.max(state.progress, shown.progress) },
    lastEventId: Math.max(lastEventId, shown.lastEventId)
  }
}
