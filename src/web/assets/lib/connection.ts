import { createStore } from './store.ts'

const PROBE_MS = 2000

/** `sinceMs`: when the daemon stopped to answer, null while it does. */
export const connection = createStore<{ isLost: boolean; sinceMs: number | null }>({ isLost: false, sinceMs: null })

let timer: ReturnType<typeof setTimeout> | undefined

/** A request found no daemon: ask until it answers. */
export function noteLost(): void {
  connection.set((now) => (now.isLost ? now : { isLost: true, sinceMs: Date.now() }))
  timer ??= setTimeout(() => void probe(), PROBE_MS)
}

/** The daemon answered, whatever it said. */
export function noteAnswer(): void {
  clearTimeout(timer)
  timer = undefined
  connection.set((now) => (now.isLost ? { isLost: false, sinceMs: null } : now))
}

/** Asks at once; also on a timer while the daemon is away. */
export async function probe(): Promise<void> {
  timer = undefined
  try {
    await fetch('/healthz', { cache: 'no-store' })
    noteAnswer()
  } catch {
    noteLost()
  }
}
