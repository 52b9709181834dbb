/**
 * Time as the rules see it, in rounds of the beacon. A verified pulse moves it, a peer's word never does, and a clock
 * alone neither ends nor settles a record.
 */
import type { NetworkProfile } from './profile/profile.ts'
import { sha256, u64be } from './encoding/bytes.ts'

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

/** What round arithmetic needs of a beacon; the profile's `beacon` fits. */
interface BeaconSchedule {
  /** Seconds between rounds. */
  readonly period: number
  /** Unix time of round 1, in seconds. */
  readonly genesis: number
}

/** The round due at a wall-clock time: floor((now - genesis) / period) + 1; 0 before the genesis. */
export function clockRound(nowMs: number, beacon: BeaconSchedule): number {
  return Math.max(0, Math.floor((nowMs - beacon.genesis * 1000) / (beacon.period * 1000)) + 1)
}

/** The wall-clock time at which a round is due, in milliseconds since the epoch. */
export function roundTimeMs(round: number, beacon: BeaconSchedule): number {
  return (beacon.genesis + (round - 1) * beacon.period) * 1000
}

export function roundsIn(seconds: number, beacon: BeaconSchedule): number {
  return Math.ceil(seconds / beacon.period)
}

/** Length of a pulse's signature: a compressed point of G1 of BLS12-381. */
export const PULSE_SIGNATURE_BYTES = 48

export interface Pulse {
  round: number
  /** 48 bytes. */
  signature: Uint8Array
}

/** What the beacon signs for a round: SHA-256 of the round as u64 big-endian (drand's unchained schemes). */
export function pulseMessage(round: number): Uint8Array {
  return sha256(u64be(round))
}

/** The randomness r of a pulse: SHA-256 of its signature. */
export function pulseRandomness(signature: Uint8Array): Uint8Array {
  return sha256(signature)
}

/** `live`: resolves. `grace`: does not resolve, only the same key may renew. `dead`: free. */
type LeasePhase = 'live' | 'grace' | 'dead'

export interface Lease {
  state: LeasePhase
  /** p of the newest link. */
  startRound: number
  /** The last round in which the name is live. */
  endRound: number
  /** The last round in which the same key may renew. */
  graceEndRound: number
}

/**
 * The lease from p of the newest link, at round v.
 *
 * @param verified `ProtocolTime.lapse`: a verified round, never the clock's; pulses from a stale beacon do not count
 */
export function leaseState(newestRound: number, verified: number, profile: NetworkProfile): Lease {
  const endRound = newestRound + profile.lease
  const graceEndRound = endRound + profile.grace
  const state = verified <= endRound ? 'live' : verified <= graceEndRound ? 'grace' : 'dead'
  return { state, startRound: newestRound, endRound, graceEndRound }
}

/** A renewal begins this many times its own duration before the end. */
export const RENEWAL_MARGIN = 3

/** The round at which the owner's daemon renews: max(lease / 10, 3 x the renewal's duration) before the end. */
export function renewalRound(newestRound: number, renewalRounds: number, profile: NetworkProfile): number {
  const ahead = Math.max(Math.ceil(profile.lease / 10), RENEWAL_MARGIN * renewalRounds)
  return Math.max(newestRound, newestRound + profile.lease - ahead)
}

/**
 * Rounds after p in which a claim of that many squarings can be witnessed: max(floor, work_factor x its duration), at
 * most half the lease.
 */
export function revealWindow(iterations: number, profile: NetworkProfile): number {
  const { floor, work_factor, squarings_per_second } = profile.reveal_window
  const work = Math.ceil((work_factor * iterations) / (squarings_per_second * profile.beacon.period))
  return Math.min(Math.max(floor, work), Math.floor(profile.lease / 2))
}
