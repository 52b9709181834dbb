/** What peers are charged for a proof: what one takes on this machine. */
import { NativeError, type NativePool } from '../native/types.ts'
import { CHECK_MS } from '../network/budget/budget.ts'

/** No machine is known that is faster. Where threads' time is counted in ticks of 16 ms, nothing at all may be measured. */
const LEAST_MS = 2

/** Milliseconds of a thread: an assumption until the pool, asked at once, has measured it. */
export function proofCost(
  pool: Pick<NativePool, 'measureProof'>,
  bits: number,
  warn: (message: string) => void
): () => number {
  let milliseconds = CHECK_MS.proof
  pool.measureProof(bits).then(
    (measured) => (milliseconds = Math.max(LEAST_MS, measured)),
    (error: unknown) => {
      // A start that failed, or a stop.
      if (error instanceof NativeError && error.code === 'POOL_CLOSED') return
      warn(`what a proof takes could not be measured: ${(error as Error).message}`)
    }
  )
  return () => milliseconds
}
