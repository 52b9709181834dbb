import { EXIT } from './exit-codes.ts'

let controller: AbortController | undefined

/**
 * A signal that the first Ctrl-C or SIGTERM aborts, so that a command can end in good order; the second one ends
 * the process. Until this is called, Ctrl-C ends the process as it does for any other.
 */
export function interruption(): AbortSignal {
  if (controller === undefined) {
    const made = new AbortController()
    controller = made
    const stop = (): void => {
      if (made.signal.aborted) process.exit(EXIT.interrupted)
      made.abort()
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  }
  return controller.signal
}
