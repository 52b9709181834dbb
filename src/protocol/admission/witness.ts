/** Whether a claim is witnessed: its commitment was seen before its pulse was known. */
import type { Claim } from '../claim/claim.ts'
import { type Origin, diverse } from '../neighbourhood/diversity.ts'
import { revealWindow, type ProtocolTime } from '../time.ts'
import type { NetworkProfile } from '../profile/profile.ts'

export interface HandedOver extends Origin {
  readonly seen: number
}

export interface CommitmentFacts {
  /** s: the round in which this node first stored C. */
  readonly seen?: number
  /** The s before it that enough neighbours named once. */
  readonly vouched?: number
  /** What neighbours handed over, closest first. */
  readonly handedOver?: readonly HandedOver[]
}

/**
 * A claim is witnessed when C was stored at s, s + `earliestPulse` <= p <= s + pulse_window, and now is within the
 * reveal window of p. p is that of the first link.
 * Our own s, a vouched one and the neighbours' median each suffice: having seen C late is never worse than not at all.
 *
 * @param before only an s before this round counts
 */
export function isWitnessed(
  claim: Pick<Claim, 'firstRound' | 'firstIterations'>,
  facts: CommitmentFacts,
  time: Pick<ProtocolTime, 'now'>,
  profile: NetworkProfile,
  before = Infinity
): boolean {
  if (time.now - claim.firstRound > revealWindow(claim.firstIterations, profile)) return false
  const rounds = [facts.seen, facts.vouched, medianSeen(facts.handedOver ?? [], profile)]
  return rounds.some(
    (seen) =>
      seen !== undefined &&
      seen < before &&
      seen + earliestPulse(profile) <= claim.firstRound &&
      claim.firstRound <= seen + profile.pulse_window
  )
}

/**
 * Rounds from s to the earliest p of a witnessed claim: `min_commit` less the slack for clocks. So a later commitment
 * gets no earlier pulse [a rival who takes an earlier pulse]. At least 1: the pulse of s itself is known when C is
 * seen.
 */
function earliestPulse({ min_commit, receipt_slack }: Pick<NetworkProfile, 'min_commit' | 'receipt_slack'>): number {
  return Math.max(1, min_commit - receipt_slack)
}

/**
 * The round by which more than half of k diverse neighbours say that they saw C: silence counts as not seen. Otherwise
 * three liars are the median of five words, where two others saw C late [a claim that few vouch for]. Where the profile
 * limits no prefixes, the lower median of at least `witness_quorum` words. Undefined with fewer.
 */
export function medianSeen(handedOver: readonly HandedOver[], profile: NetworkProfile): number | undefined {
  const rounds = diverse(handedOver, profile)
    .map(({ seen }) => seen)
    .sort((left, right) => left - right)
  if (profile.answers_per_prefix > 0) return rounds[Math.floor(profile.k / 2)]
  return rounds.length < profile.witness_quorum ? undefined : rounds[Math.floor((rounds.length - 1) / 2)]
}
