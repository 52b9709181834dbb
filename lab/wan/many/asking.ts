/** Asks for names throughout what happens to a network, each time another one at another daemon. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Daemon } from '../../../__test__/e2e/processes.ts'

export interface Asked {
  /** Since the beginning. */
  readonly second: number
  readonly ms: number
  /** `resolved`, `thin`, an error's code, or `no answer` of the daemon itself. */
  readonly outcome: string
  readonly group: string
}

export interface Asking {
  readonly asked: readonly Asked[]
  /** Seconds since the beginning. */
  now(): number
  stop(): Promise<void>
}

const EVERY_MS = 1_000
const PATIENCE_MS = 30_000

interface Askable {
  readonly daemon: Daemon
  readonly group: string
}

/** `daemons` is asked each time, since they come and go. */
export function startAsking(names: readonly string[], daemons: () => readonly Askable[]): Asking {
  const begun = performance.now()
  const now = (): number => (performance.now() - begun) / 1_000
  const asked: Asked[] = []
  const open = new Set<Promise<void>>()
  const over = new AbortController()
  const one = async (turn: number): Promise<void> => {
    const all = daemons()
    // The step is prime to both counts in most cases, so that pairs repeat late.
    const { daemon, group } = all[turn % all.length]!
    const name = names[(turn * 7 + Math.floor(turn / all.length)) % names.length]!
    const beginMs = performance.now()
    const outcome = await outcomeOf(daemon, name)
    asked.push({ second: now(), ms: performance.now() - beginMs, outcome, group })
  }
  const all = (async () => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const asking = one(turn)
      open.add(asking)
      void asking.finally(() => open.delete(asking))
      await delay(EVERY_MS)
    }
    await Promise.all(open)
  })()
  return {
    asked,
    now,
    stop() {
      over.abort()
      return all
    }
  }
}

async function outcomeOf(daemon: Daemon, name: string): Promise<string> {
  const asked = daemon.request('GET', `/api/resolve/${name}`).then(
    ({ status, headers, body }) => {
      if (status !== 200) return String((body as { code?: string } | undefined)?.code ?? status)
      return headers.get('x-confidence') === 'thin' ? 'thin' : 'resolved'
    },
    () => 'no answer'
  )
  const patience = new AbortController()
  const late = delay(PATIENCE_MS, 'no answer', { signal: patience.signal }).catch(() => 'no answer')
  const outcome = await Promise.race([asked, late])
  patience.abort()
  return outcome
}

export function outcomes(asked: readonly Asked[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { outcome } of asked) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
