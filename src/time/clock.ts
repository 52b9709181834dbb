/** Time as tasks and registry see it: injected, so that tests need no sleeps and the system clock may jump. */
export interface Clock {
  /** Milliseconds since the epoch; may jump either way. */
  now(): number
  /** Resolves after `milliseconds`; rejects with the signal's reason when aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Calls `listener` again and again, `milliseconds` apart, until the returned function is called. */
  every(milliseconds: number, listener: () => void): () => void
}

/** The machine's clock. Its timers never keep the process alive by themselves. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep(milliseconds, signal) {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        clearTimeout(timer)
        reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
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
