/** Workers in the process of the test. */
import type { FarmAddress, FarmTimes } from '../../src/farm/link.ts'
import { runWorker } from '../../src/farm/worker.ts'
import type { NativePool } from '../../src/native/types.ts'
import { silentLog } from '../registry/claims/fakes.ts'
import { SteppedPool } from './stepped-pool.ts'

export interface StartedWorker {
  /** Squarings at which it took evaluations up. */
  readonly begun: number[]
  /** What else it said. */
  readonly said: string[]
  /** As SIGTERM does. */
  readonly drain: () => Promise<void>
}

export function startWorker(
  address: FarmAddress,
  name: string,
  times: FarmTimes,
  pool: Pick<NativePool, 'evaluate'> = new SteppedPool()
): StartedWorker {
  const abort = new AbortController()
  const begun: number[] = []
  const said: string[] = []
  const info = (fields: object, message: string): void => {
    if (message === 'begins') begun.push((fields as { squarings: number }).squarings)
    else said.push(message)
  }
  const done = runWorker({ address, pool, threads: 1, name, log: { ...silentLog, info }, times }, abort.signal)
  const drain = async (): Promise<void> => {
    abort.abort()
    await done
  }
  return { begun, said, drain }
}
