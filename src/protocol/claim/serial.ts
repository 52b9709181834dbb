import type { NetworkProfile } from '../profile/profile.ts'
import { roundTimeMs } from '../time/beacon-time.ts'
import type { ProtocolTime } from '../time/protocol-time.ts'
import type { Claim } from './claim.ts'

/**
 * The highest serial allowed now: the time of the newest verified round, in microseconds since 1970. It leaves room for
 * dates and Unix times as serials. It goes by no clock, so a clock that is ahead lets no higher one in.
 */
export function highestSerial({ verified }: Pick<ProtocolTime, 'verified'>, { beacon }: NetworkProfile): number {
  return Math.min(roundTimeMs(verified, beacon) * 1000, Number.MAX_SAFE_INTEGER)
}

/** Whether a record waits for time to reach its serial [a serial ahead of time]. */
export function isAhead(
  { serial }: Pick<Claim, 'serial'>,
  time: Pick<ProtocolTime, 'verified'>,
  profile: NetworkProfile
): boolean {
  return serial > highestSerial(time, profile)
}
