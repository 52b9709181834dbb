/** The clock that tests move. */
import type { Clock } from '../../src/time/clock.ts'

/** A clock that moves only when told; timers fire in order while it moves. */
export class ManualClock implements Clock {
  #nowMs: number
  #timers = new Set<{ dueMs: number; fire: () => void }>()

  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = nowMs
  }
  now(): number {
    return this.#nowMs
  }
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = { dueMs: this.#nowMs + milliseconds, fire: resolve }
      this.#timers.add(timer)
      const abort = (): void => {
        this.#timers.delete(timer)
        reject(signal!.reason as Error)
      }
      if (signal?.aborted === true) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    })
  }
  every(milliseconds: number, listener: () => void): () => void {
    const timer = { dueMs: this.#nowMs + milliseconds, fire: () => {} }
    timer.fire = () => {
      timer.dueMs += milliseconds
      this.#timers.add(timer)
      listener()
    }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }
  get waiting(): number {
    return this.#timers.size
  }
  /** Sets the wall clock without letting time pass for timers. */
  set(nowMs: number): void {
    const shift = nowMs - this.#nowMs
    for (const timer of this.#timers) timer.dueMs += shift
    this.#nowMs = nowMs
  }
  async advance(milliseconds: number): Promise<void> {
    const untilMs = this.#nowMs + milliseconds
    for (;;) {
      const due = [...this.#timers]
        .filter((timer) => timer.dueMs <= untilMs)
        .sort((left, right) => left.dueMs - right.dueMs)[0]
      if (due === undefined) break
      this.#timers.delete(due)
      this.#nowMs = Math.max(this.#nowMs, due.dueMs)
      due.fire()
      await settle()
    }
    this.#nowMs = untilMs
    await settle()
  }
}

/** Lets everything that is ready to run do so, file operations apart. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
