import { hasEnded, type TaskState } from './task.ts'
import type { TaskEvent } from '../tasks.ts'

/** Phase and end events kept for replay for each task; older ones are forgotten first. */
const KEPT_EVENTS = 64

/**
 * The events of one task, kept for readers that return: the last phase changes and the newest progress. Readers hold a
 * cursor and no queue, so a slow reader costs nothing and gets the newest progress only.
 */
export class TaskEventLog {
  #kept: TaskEvent[] = []
  #progress: TaskEvent | undefined
  #closed = false
  #waiting = new Set<() => void>()

  append(event: TaskEvent): void {
    if (event.type === 'progress') this.#progress = event
    else {
      this.#kept.push(event)
      if (this.#kept.length > KEPT_EVENTS) this.#kept.shift()
      if (event.type !== 'phase') this.#closed = true
    }
    this.#wake()
  }

  beginWith(event: TaskEvent): void {
    this.#kept = []
    this.#progress = undefined
    this.append(event)
  }

  /** No event follows: the task was cleared. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  /** Yields kept events after `cursor`, then new ones, until the log is closed or `signal` aborts. */
  async *read(cursor: number, signal: AbortSignal): AsyncIterable<TaskEvent> {
    while (!signal.aborted) {
      const event = this.#next(cursor)
      if (event !== undefined) {
        cursor = event.id
        yield event
      } else if (this.#closed) return
      else await this.#changed(signal)
    }
  }

  #next(cursor: number): TaskEvent | undefined {
    const kept = this.#kept.find((event) => event.id > cursor)
    const progress = this.#progress !== undefined && this.#progress.id > cursor ? this.#progress : undefined
    if (kept === undefined || progress === undefined) return kept ?? progress
    return kept.id < progress.id ? kept : progress
  }

  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#waiting.add(done)
      signal.addEventListener('abort', done, { once: true })
    })
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done()
  }
}

/** The event of a change; drafts and signed reveals change nothing that is shown. */
export function eventOf(before: TaskState, next: TaskState): TaskEvent['type'] | undefined {
  if (hasEnded(next)) return eventType(next, 'phase')
  if (before.phase !== next.phase || before.paused !== next.paused || before.movedTo !== next.movedTo) return 'phase'
  return before.progress !== next.progress || before.phaseProgress !== next.phaseProgress ? 'progress' : undefined
}

export function eventType(state: TaskState, running: 'phase' | 'progress'): TaskEvent['type'] {
  return state.status === 'running' ? running : state.status
}
