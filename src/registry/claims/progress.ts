import type { Log } from '../../evaluations/evaluator.ts'
import type { Clock } from '../../time/clock.ts'
import type { TaskLedger, Task } from './ledger.ts'
import { hasEnded, type TaskInput } from './task.ts'

/** Shows what evaluations report. It is in memory alone: the disk has that of the newest checkpoint. */
export class TaskProgress {
  readonly #ledger: TaskLedger
  readonly #clock: Clock
  readonly #log: Log

  constructor(ledger: TaskLedger, clock: Clock, log: Log) {
    this.#ledger = ledger
    this.#clock = clock
    this.#log = log
  }

  tick(): void {
    for (const task of this.#ledger.all()) {
      const input = hasEnded(task.state) ? undefined : this.#look(task)
      if (input === undefined) continue
      try {
        this.#ledger.apply(task, input)
      } catch (error) {
        this.#log.warn({ task: task.state.id, err: error }, 'the journal could not be written')
      }
    }
  }

  /** What a task's evaluation reports now; undefined while none is at work, or it is stopping. */
  #look(task: Task): Extract<TaskInput, { type: 'advanced' }> | undefined {
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
