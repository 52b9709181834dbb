/**
 * The promise's result, or the signal's reason if that is first. The promise continues for its other callers. Nothing
 * stays on the signal, which may live as long as the process: what listens to it is kept, with all that it refers to.
 */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
