/** Squares beside what is measured, as the daemon does it. */
import { createNativePool } from '../src/native/pool/pool.ts'

/** More than end while it is measured. */
const ITERATIONS = 10 ** 11
const BITS = 1024

/** As many proofs at once, on as many threads; 0: none. */
export function squareMeanwhile(count: number): void {
  if (count === 0) return
  const pool = createNativePool({ evaluationThreads: count })
  for (let index = 0; index < count; index++)
    pool.evaluate(
      { seed: new Uint8Array(32).fill(index), discriminantBits: BITS, iterations: ITERATIONS, split: null },
      { memoryBytes: 64 * 2 ** 20, checkpointSeconds: 3600 },
      () => undefined
    )
}
