/**
 * Time as the rules see it. A verified pulse moves it, a peer's word never does, and a clock alone neither ends nor
 * settles a record.
 */
import type { NetworkProfile } from '../profile/profile.ts'

export interface ProtocolTime {
  /** v: the highest round verified; 0 before the first. */
  readonly verified: number
  /**
   * The highest round verified while pulses were fresh. Leases are judged by it, so nothing lapses while the beacon is
   * down.
   */
  readonly lapse: number
  /** max(clock round, v). */
  readonly now: number
  /**
   * Whether a pulse newer than `pulse_fresh` (a day) by the clock is known. Otherwise no new name is admitted and
   * nothing is dropped.
   */
  readonly fresh: boolean
}

export const TIME_ZERO: ProtocolTime = { verified: 0, lapse: 0, now: 0, fresh: false }

/**
 * Time after a pulse was verified (`verified`), the clock was read, or both. Neither v nor `lapse`, which outlives
 * restarts, ever decreases.
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
 * Whether to warn the owner that the clock lags behind a verified pulse (more than 20 rounds; docs/protocol/rules.md,
 * 9).
 */
export function clockLags(clock: number, verified: number): boolean {
  return verified > clock + 20
}
