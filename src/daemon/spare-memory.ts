/**
 * Returns memory to the system after a burst. V8 keeps the pages that a burst of garbage filled, for as long as the
 * daemon runs (lab/reports/floods.md, "Peers that dial").
 */
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '../time/clock.ts'

const LOOK_MS = 60_000
/** Less is not worth the collection, which stops the event loop for 0.1 to 0.2 s. */
const SPARE_BYTES = 64 * 2 ** 20
/** A busy event loop fills the pages again at once. */
const QUIET_SHARE = 0.1

interface Memory {
  /** Resident bytes. */
  readonly resident: () => number
  /** The part of the time since the last call that the event loop was busy, 0..1. */
  readonly busy: () => number
  readonly collect: () => void
}

/** Looks every minute; returns the function that ends it. */
export function returnSpareMemory(timers: Pick<Clock, 'every'>, memory: Memory = ownMemory()): () => void {
  // What is in use, as far as is known: evaluations and caches count once they were looked through.
  let used = Infinity
  return timers.every(LOOK_MS, () => {
    const resident = memory.resident()
    const isQuiet = memory.busy() < QUIET_SHARE
    used = Math.min(used, resident)
    if (resident < used + SPARE_BYTES || !isQuiet) return
    memory.collect()
    used = memory.resident()
  })
}

export function ownMemory(): Memory {
  let before = performance.eventLoopUtilization()
  return {
    resident: () => process.memoryUsage.rss(),
    busy() {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      return utilization
    },
    collect: collectGarbage
  }
}

let collect: ((options: object) => void) | undefined

/**
 * Frees what nothing refers to any more, and gives V8's spare pages back to the system; stops the event loop for 0.1 to
 * 0.2 s. OpenSSL overwrites its copy of a key when V8 collects the object that holds it, and a burst of garbage keeps
 * its pages for as long as the process runs. Node has no other way to ask for it than the flag, which is off again
 * afterwards; the inspector's command for it has hung a busy daemon.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as (options: object) => void
    setFlagsFromString('--no-expose-gc')
  }
  collect({ type: 'major', flavor: 'last-resort' })
}
