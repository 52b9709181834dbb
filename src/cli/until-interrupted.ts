import type { Context } from './context.ts'

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
export async function untilInterrupted({ signal }: Context): Promise<void> {
  const release = endWithParent()
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  release()
}
