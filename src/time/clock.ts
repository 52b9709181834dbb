import { setTimeout } from 'node:timers/promises'

/** The machine's time, injected, so that tests need no real time. Protocol time is `RoundClock`'s. */
export interface Clock {
  /** Milliseconds since the epoch; may jump either way. */
  now(): number
  /** Resolves after `milliseconds`; rejects with the signal's reason when aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Calls `listener` every `milliseconds`, the first time after that long, until the returned function is called. */
  every(milliseconds: number, listener: () => void): () => void
}

/** Its timers never keep the process alive by themselves. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    try {
      await setTimeout(milliseconds, undefined, { ref: false, ...(signal !== undefined && { signal }) })
    } catch (error) {
      // Node wraps the reason in an error of its own.
      signal?.throwIfAborted()
      throw error
    }
  },
  every(milliseconds, listener) {
    const timer = setInterval(listener, milliseconds)
    timer.unref()
    return () => clearInterval(timer)
  }
}
