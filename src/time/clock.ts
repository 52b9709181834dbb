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
  sleep(milliseconds, signal) {
    // The global timer, so that a simulation can put virtual time in its place.
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        clearTimeout(timer)
        reject(signal?.reason as Error)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }, milliseconds)
      timer.unref()
      if (signal?.aborted === true) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    })
  },
  every(milliseconds, listener) {
    const timer = setInterval(listener, milliseconds)
    timer.unref()
    return () => clearInterval(timer)
  }
}
