/** The thread of overhead.ts that does nothing but square: one call of the kernel a window. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { addon } from '../../src/native/addon.ts'
import { BITS, MEMORY_BYTES, SEED } from './real-tasks.ts'

/** As the pool's evaluations (src/native/pool.ts); on Linux this is of the calling thread alone. */
const NICE = 10

const { iterations, windowMs } = workerData as Record<'iterations' | 'windowMs', number>
if (process.platform === 'linux') setPriority(NICE)
const { Discriminant, Evaluation } = addon()
const never = new Uint32Array(1)
const discriminant = Discriminant.fromSeed(SEED, BITS)
let evaluation = new Evaluation(discriminant, null, iterations, null, MEMORY_BYTES)
/** Squarings in `windowMs`, as the window before showed. */
let squarings = 10_000

function advance(count: number): number {
  if (evaluation.squarings() + count > iterations) evaluation = new Evaluation(discriminant, null, iterations, null, MEMORY_BYTES)
  const startedAt = performance.now()
  evaluation.advance(count, never)
  return performance.now() - startedAt
}

// The first forms are small and cheap, and how many a window takes is not known yet.
squarings = Math.round((squarings * windowMs) / advance(squarings))

parentPort!.on('message', () => {
  const tookMs = advance(squarings)
  parentPort!.postMessage({ squarings, tookMs })
  squarings = Math.round((squarings * windowMs) / tookMs)
})
