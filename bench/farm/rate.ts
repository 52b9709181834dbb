/**
 * Squarings a second at a worker by those of the bare loop. This process is the worker; the daemon's side and the server
 * have others.
 */
import { runWorker } from '../../src/farm/worker.ts'
import { measured, type Figure } from '../figure.ts'
import { BITS } from '../tasks/real-tasks.ts'
import { alternateTurns, ratiosOf, total } from '../tasks/turns-pool.ts'
import { BENCH_NETWORK, startDaemon, startServer } from './scene.ts'

const ITERATIONS = 20_000_000
/** Half of it are bare turns: the default of `vdf.checkpoint_seconds` for the squarings of the worker. */
const CHECKPOINT_SECONDS = 20
/** As many records a squaring as a name of half an hour has by default. */
const MEMORY_BYTES = Math.round((256 * 2 ** 20 * ITERATIONS) / 600_000_000)
const LEAST = 0.99
const PER_MILLION = 1_000_000

export async function measureRate(): Promise<Figure[]> {
  const server = await startServer()
  const daemon = startDaemon(server.url)
  const before = await server.seen()
  const { turns, besideUs } = await alternateTurns(async (pool) => {
    const abort = new AbortController()
    const address = { url: server.url, credentials: '', ca: '', network: BENCH_NETWORK }
    const log = { info: () => undefined, warn: console.error }
    const done = runWorker({ address, pool, threads: 1, name: 'w', log }, abort.signal)
    const plan = { discriminantBits: BITS, iterations: ITERATIONS, split: null, memoryBytes: MEMORY_BYTES }
    await daemon.ask({ do: 'hold', count: 1, plan: { ...plan, checkpointSeconds: CHECKPOINT_SECONDS } })
    return {
      end: () => {
        abort.abort()
        return done
      }
    }
  }, MEMORY_BYTES)
  const after = await server.seen()
  daemon.close()
  await server.stop()
  const { median, spread } = ratiosOf(turns, ({ clockMs }) => clockMs)
  const taskUs = total(turns, ({ task }) => task.cpuUs)
  const millions = ITERATIONS / PER_MILLION
  return [
    measured(
      {
        name: "squarings a second at a worker by the bare loop's",
        unit: 'ratio',
        target: { at_least: LEAST },
        parts: {
          'in processor time': 1 / ratiosOf(turns, ({ cpuUs }) => cpuUs).median,
          'other threads of the worker by its squaring, for both turns': besideUs / taskUs,
          'kB to the server a million squarings': (after.in_bytes - before.in_bytes) / 1000 / millions,
          'kB from it': (after.out_bytes - before.out_bytes) / 1000 / millions
        }
      },
      { median: 1 / median, spread: [1 / spread[1], 1 / spread[0]] }
    )
  ]
}
