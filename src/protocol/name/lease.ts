import type { NetworkProfile } from '../profile/profile.ts'

/** `live`: resolves. `grace`: does not resolve, only the same key may renew. `dead`: free. */
export type LeasePhase = 'live' | 'grace' | 'dead'

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
