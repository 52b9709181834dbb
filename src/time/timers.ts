import { setTimeout } from 'node:timers/promises'

/** Local timers, injected so that tests and the simulator can run without waiting. */
export interface Timers {
  /** Calls `action` every `milliseconds` from now on; returns the function that ends it. */
  every(milliseconds: number, action: () => void): () => void
}

/** Timers of the process; they do not keep it alive. */
export const systemTimers: Timers = {
  every(milliseconds, action) {
    const timer = setInterval(action, milliseconds)
    timer.unref()
    return () => {
      clearInterval(timer)
    }
  }
}

/** Waits; a signal ends it early. Rejects with the signal's reason. Does not keep the process alive. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { ref: false, ...(signal !== undefined && { signal }) })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
