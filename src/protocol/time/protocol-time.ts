/**
 * Time as the rules see it. A verified pulse moves it, a peer's word never does, and a clock alone neither kills a
 * record nor settles one.
 */
import type { NetworkProfile } from '../profile/profile.ts'

export interface ProtocolTime {
  /** v: the highest round verified; 0 before the first. */
  readonly verified: number
  /**
   * The highest round that was verified while pulses were fresh: leases are judged by it, so that nothing lapses while
   * the beacon is down.
   */
  readonly lapse: number
  /** max(clock round, v). */
  readonly now: number
  /**
   * Whether a pulse newer than `pulse_fresh` (a day) by the clock is known. While it is false no new name is admitted
   * and nothing is dropped.
   */
  readonly fresh: boolean
}

export const TIME_ZERO: ProtocolTime = { verified: 0, lapse: 0, now: 0, fresh: false }

/**
 * Time after a pulse was verified (`verified`), after the clock was read again, or both. Neither v nor `lapse`, which
 * outlives restarts, ever goes back.
 */
export function advanceTime(
  time: ProtocolTime,
  seen: { readonly clock: number; readonly verified?: number },
  profile: Pick<NetworkProfile, 'pulse_fresh'>
): ProtocolTime {
  const verified = Math.max(time.verified, seen.verified ?? 0)
  const fresh = verified > 0 && seen.clock - verified <= profile.pulse_fresh
  return {
    verified,
    lapse: fresh ? Math.max(time.lapse, verified) : time.lapse,
    now: Math.max(seen.clock, verified),
    fresh
  }
}

/**
 * Whether the clock lags so far behind a verified pulse that its owner should be warned (more than 20 rounds;
 * docs/protocol/rules.md, 9).
 */
export function clockLags(clock: number, verified: number): boolean {
  return verified > clock + 20
}
