/** The thread of overhead.ts that does nothing but square: one call of the kernel a window. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { addon } from '../../src/native/addon.ts'
import { BITS, MEMORY_BYTES, SEED } from './real-tasks.ts'

/** As the pool's evaluations (src/native/pool.ts); on Linux this is of the calling thread alone. */
const NICE = 10

const { iterations, windowMs, windows, settleMs } = workerData as Record<'iterations' | 'windowMs' | 'windows' | 'settleMs', number>
if (process.platform === 'linux') setPriority(NICE)
const { Discriminant, Evaluation } = addon()
const never = new Uint32Array(1)
const discriminant = Discriminant.fromSeed(SEED, BITS)
let evaluation = new Evaluation(discriminant, null, iterations, null, MEMORY_BYTES)
/** Squarings in `settleMs`, as the round before showed. */
let settling = 10_000

/** Squarings per second of so many. */
function rateOf(count: number): number {
  if (evaluation.squarings() + count > iterations) evaluation = new Evaluation(discriminant, null, iterations, null, MEMORY_BYTES)
  const startedAt = performance.now()
  evaluation.advance(count, never)
  return (count * 1000) / (performance.now() - startedAt)
}

parentPort!.on('message', () => {
  const rate = rateOf(settling)
  settling = Math.round((rate * settleMs) / 1000)
  parentPort!.postMessage(Array.from({ length: windows }, () => rateOf(Math.round((rate * windowMs) / 1000))))
})
