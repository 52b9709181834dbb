import { EXIT } from './failure.ts'

/** Under npm one Ctrl-C comes twice, from the terminal and from npm; a person takes longer for a second one. */
const SAME_KEYSTROKE_MS = 300

let controller: AbortController | undefined

/**
 * A signal that the first Ctrl-C, SIGTERM or closing of the terminal aborts, so that a command can end in good order; the
 * second one ends the process. Until this is called, Ctrl-C ends the process as it does for any other.
 */
export function interruption(): AbortSignal {
  if (controller === undefined) {
    const made = new AbortController()
    controller = made
    let abortedAtMs = 0
    const stop = (): void => {
      if (made.signal.aborted && performance.now() - abortedAtMs > SAME_KEYSTROKE_MS) process.exit(EXIT.interrupted)
      if (!made.signal.aborted) abortedAtMs = performance.now()
      made.abort()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  }
  return controller.signal
}

/**
 * Ends this process as SIGTERM would when the parent that started it with a channel is gone. A server must not outlive
 * the script that started it. Returns the undo, after which the channel no longer keeps the process alive.
 */
export function endWithParent(): () => void {
  if (process.connected) process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  return () => {
    process.removeAllListeners('disconnect')
    if (process.connected) process.disconnect()
  }
}

/** Resolves at Ctrl-C or SIGTERM, or when the parent is gone. */
export async function untilInterrupted(signal: AbortSignal): Promise<void> {
  const release = endWithParent()
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  release()
}
