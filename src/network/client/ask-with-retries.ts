import type { Peer, Peers } from '../peers.ts'
import { AskError } from '../wire/ask.ts'
import type { AnswerTo, Request } from '../wire/messages.ts'
import { systemClock } from '../../time/clock.ts'

/** Attempts with a busy peer, and the first pause. Pauses double: 1.75 s in all. */
const ATTEMPTS = 4
const BUSY_PAUSE_MS = 250

/** Asks a peer, and repeats while it is busy. Rejects with AskError or the signal's reason. */
export async function askWithRetries<R extends Request>(
  peers: Peers,
  peer: Peer,
  request: R,
  signal?: AbortSignal
): Promise<AnswerTo<R>> {
  for (let attempt = 0; ; attempt++) {
    const answer = await peers.ask(peer, request, signal)
    if (answer.type !== 'busy' || attempt === ATTEMPTS - 1) return answer
    await systemClock.sleep(BUSY_PAUSE_MS * 2 ** attempt, signal)
  }
}

/**
 * Aborts the work with an AskError after `milliseconds`. Rejects with that, the caller's reason, or the work's error.
 */
export async function withDeadline<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  const deadline = new AbortController()
  const timer = setTimeout(() => {
    deadline.abort(new AskError(`not answered within ${milliseconds / 1000} s`))
  }, milliseconds)
  try {
    return await work(signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]))
  } finally {
    clearTimeout(timer)
  }
}
