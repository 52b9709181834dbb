import type { Log } from '../../evaluations/evaluator.ts'
import type { Clock } from '../../time/clock.ts'
import type { ClaimSteps } from './run.ts'
import { hasEnded, type TaskState } from './task.ts'

/** Commitments are sent again hourly (docs/protocol/rules.md, 5). */
const REMIND_EVERY_MS = 60 * 60 * 1000
/** Ticks come every half second; a later one means that the machine slept. */
const WAKE_GAP_MS = 60_000

interface Reminder {
  dueMs: number
  sending: Promise<void> | undefined
  readonly abort: AbortController
}

/** Sends the commitments of unfinished registrations again, hourly and on wake, so that the network keeps them. */
export class Reminders {
  readonly #steps: ClaimSteps
  readonly #clock: Clock
  readonly #log: Log
  readonly #reminders = new Map<string, Reminder>()
  #lastTickMs: number | undefined

  constructor(steps: ClaimSteps, clock: Clock, log: Log) {
    this.#steps = steps
    this.#clock = clock
    this.#log = log
  }

  tick(states: readonly TaskState[]): void {
    const nowMs = this.#clock.now()
    const woke = this.#lastTickMs !== undefined && Math.abs(nowMs - this.#lastTickMs) > WAKE_GAP_MS
    this.#lastTickMs = nowMs
    for (const state of states) {
      if (state.kind !== 'register' || !state.committed || state.draft === null) continue
      if (hasEnded(state)) void this.forget(state.id)
      else this.#remind(state, state.draft, nowMs, woke)
    }
  }

  /** Resolves when nothing more is or will be sent for this task. */
  async forget(taskId: string): Promise<void> {
    const reminder = this.#reminders.get(taskId)
    if (reminder === undefined) return
    this.#reminders.delete(taskId)
    reminder.abort.abort(new Error('the task has ended'))
    await reminder.sending
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#reminders.keys()].map((taskId) => this.forget(taskId)))
  }

  #remind(state: TaskState, draft: Uint8Array, nowMs: number, woke: boolean): void {
    let reminder = this.#reminders.get(state.id)
    if (reminder === undefined) {
      // At once after a restart: the daemon may have been away for long.
      reminder = {
        dueMs: nowMs + (state.resumed > 0 ? 0 : REMIND_EVERY_MS),
        sending: undefined,
        abort: new AbortController()
      }
      this.#reminders.set(state.id, reminder)
    }
    if (reminder.sending !== undefined || (!woke && nowMs < reminder.dueMs)) return
    reminder.dueMs = nowMs + REMIND_EVERY_MS
    reminder.sending = this.#send(state, draft, reminder)
  }

  async #send(state: TaskState, draft: Uint8Array, reminder: Reminder): Promise<void> {
    const { id, name, kind } = state
    try {
      await this.#steps.remind({ taskId: id, name, kind }, draft, reminder.abort.signal)
    } catch (error) {
      if (!reminder.abort.signal.aborted)
        this.#log.warn({ task: id, name, err: error }, 'the commitment could not be sent again; next try in an hour')
    } finally {
      reminder.sending = undefined
    }
  }
}
