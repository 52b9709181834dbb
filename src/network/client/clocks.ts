/** What the clocks of the nearest peers say, beside ours. */
import type { RoundClock } from '../../time/clock.ts'
import type { PeerClock } from '../types.ts'
import { answerOrUndefined } from '../wire/exchange.ts'
import { type ClientParts, reachable } from './holders.ts'

/** Those that answer. Each is off by half a round trip at most. Throws OfflineError, or the signal's reason. */
export async function askClocks(
  parts: ClientParts,
  clock: Pick<RoundClock, 'nowMs'>,
  signal?: AbortSignal
): Promise<PeerClock[]> {
  const { peers } = reachable(parts)
  const asked = peers.nearest(peers.ownPosition).map(async (peer): Promise<PeerClock[]> => {
    const beforeMs = clock.nowMs()
    const answer = await answerOrUndefined(peers.ask(peer, { type: 'time' }, signal))
    if (answer?.type !== 'time') return []
    return [{ peer: peer.peer, aheadMs: Math.round(answer.now - (beforeMs + clock.nowMs()) / 2) }]
  })
  return (await Promise.all(asked)).flat()
}
