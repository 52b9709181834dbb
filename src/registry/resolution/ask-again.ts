/** A line that stalls for seconds, as mobile ones do, keeps its connections, and questions stay without an answer. */
import { OfflineError } from '../../network/types.ts'
import { doubled } from '../../util/backoff.ts'
import type { RegistryContext } from '../context.ts'

/** No attempt begins later. One takes up to 20 s: as long for questions that nobody answers as for a look-up. */
const STALL_MS = 30_000
const PAUSE_MS = 1_000

interface Asking extends Pick<RegistryContext, 'network'> {
  readonly clock: Pick<RegistryContext['clock'], 'now' | 'sleep'>
}

/** Asks again while peers are connected and none answers. Rejects as `ask`, or with the signal's reason. */
export async function askAgain<T>({ clock, network }: Asking, ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const beginMs = clock.now()
  for (let failures = 0; ; failures++) {
    try {
      return await ask()
    } catch (error) {
      const isOver = clock.now() - beginMs >= STALL_MS
      if (!(error instanceof OfflineError) || network.status().peers === 0 || isOver) throw error
    }
    await clock.sleep(doubled(PAUSE_MS, STALL_MS, failures), signal)
  }
}
