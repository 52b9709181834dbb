import { setTimeout as delay } from 'node:timers/promises'

/** Asks until it holds. Rejects after `deadlineMs` with `what`. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { deadlineMs = 300_000, everyMs = 100 } = {}
): Promise<void> {
  const end = performance.now() + deadlineMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${deadlineMs / 1000} s: ${what}`)
    await delay(everyMs)
  }
}

export interface Latencies {
  readonly count: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly max_ms: number
}

export function latencies(times: readonly number[]): Latencies {
  const sorted = times.toSorted((left, right) => left - right)
  const at = (share: number): number => Number(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!.toFixed(1))
  return { count: sorted.length, p50_ms: at(0.5), p95_ms: at(0.95), max_ms: at(1) }
}

export async function timed<T>(run: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const began = performance.now()
  const result = await run()
  return { ms: performance.now() - began, result }
}
