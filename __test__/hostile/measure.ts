/**
 * Loaded before a daemon: on SIGUSR2 it collects, and writes to the file MEASURED what it holds and how late its event
 * loop was since the last time. Threads load it too, and do nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

export interface Measured {
  /** Heap and external memory. */
  readonly heldBytes: number
  /** How late the event loop was, less the time that it waited for a core: other work of the machine is not the daemon's. */
  readonly p99Ms: number
  readonly longestMs: number
  /** The processor time of all threads since the start. */
  readonly cpuMs: number
}

const TICK_MS = 10

// eslint-disable-next-line no-restricted-properties -- how late the loop is
const now = (): number => performance.now()

/** Of the main thread, by the kernel: nanoseconds in the queue for a core. */
const queuedMs = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6

if (isMainThread) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let late: number[] = []
  const tick = (startMs: number, queuedBeforeMs: number): void => {
    globalThis
      .setTimeout(() => {
        const [atMs, queued] = [now(), queuedMs()]
        late.push(Math.max(0, atMs - startMs - TICK_MS - (queued - queuedBeforeMs)))
        tick(atMs, queued)
      }, TICK_MS)
      .unref()
  }
  tick(now(), queuedMs())
  process.on('SIGUSR2', () => {
    const sorted = late.toSorted((left, right) => left - right)
    void (async () => {
      // What finalizers free is gone after the second collection.
      for (let round = 0; round < 2; round++) {
        collect()
        await setTimeout(TICK_MS)
      }
      const { heapUsed, external } = process.memoryUsage()
      const { user, system } = process.cpuUsage()
      const measured: Measured = {
        heldBytes: heapUsed + external,
        p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
        longestMs: sorted.at(-1) ?? 0,
        cpuMs: (user + system) / 1e3
      }
      writeFileSync(process.env['MEASURED']!, JSON.stringify(measured))
      late = []
    })()
  })
}
