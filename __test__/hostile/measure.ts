/**
 * Loaded before a daemon: on SIGUSR2 it collects, and writes to the file MEASURED what it holds and how late its event
 * loop was since the last time. Threads load it too, and do nothing.
 */
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

export interface Measured {
  /** Heap and external memory. */
  readonly heldBytes: number
  readonly p99Ms: number
  readonly longestMs: number
  /** The processor time of the main thread and all others since the start, in milliseconds. */
  readonly cpuMs: number
}

const RESOLUTION_MS = 10

if (isMainThread) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  process.on('SIGUSR2', () => {
    // It counts from one look to the next.
    const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
    const [p99Ms, longestMs] = [late(delay.percentile(99)), late(delay.max)]
    void (async () => {
      // What finalizers free is gone after the second collection.
      for (let round = 0; round < 2; round++) {
        collect()
        await setTimeout(10)
      }
      const { heapUsed, external } = process.memoryUsage()
      const { user, system } = process.cpuUsage()
      const measured: Measured = { heldBytes: heapUsed + external, p99Ms, longestMs, cpuMs: (user + system) / 1e3 }
      writeFileSync(process.env['MEASURED']!, JSON.stringify(measured))
      delay.reset()
    })()
  })
}
