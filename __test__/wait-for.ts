/** Waiting for what other tasks, threads and nodes bring about. */
import { vi } from 'vitest'

/** Only what never comes is waited for as long: no test may fail because the machine has other work. */
export const PATIENCE_MS = 300_000

/** Checks again and again until nothing is thrown, and gives the result; rejects with what was thrown last. */
export function waitFor<T>(check: () => T | Promise<T>, intervalMs = 50): Promise<T> {
  // eslint-disable-next-line no-restricted-properties -- the one place
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: intervalMs })
}
