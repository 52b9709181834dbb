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
  /** The place of C in the order of arrival here; absent for one stored before arrivals were counted. */
  readonly arrival?: number
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
 * @param before the entry that C must have come before; without it, any C counts
 */
export function isWitnessed(
  claim: Pick<Claim, 'firstRound' | 'firstIterations'>,
  facts: CommitmentFacts,
  time: Pick<ProtocolTime, 'now'>,
  profile: NetworkProfile,
  before?: Arrived
): boolean {
  if (time.now - claim.firstRound > revealWindow(claim.firstIterations, profile)) return false
  const told = [facts.vouched, medianSeen(facts.handedOver ?? [], profile)].filter(
    (seen) => seen === undefined || before === undefined || seen < before.tenureRound
  )
  const own = before === undefined || cameBefore(facts, before) ? facts.seen : undefined
  return [own, ...told].some(
    (seen) =>
      seen !== undefined &&
      seen + earliestPulse(profile) <= claim.firstRound &&
      claim.firstRound <= seen + profile.pulse_window
  )
}

/** When an entry came: its round, and its place in the order of arrival here. */
interface Arrived {
  readonly tenureRound: number
  readonly arrival?: number
}

/**
 * Whether C came to this node before the entry. Rounds do not tell within three seconds, nor while v is behind now, so
 * the order of arrival does [a squatter in the round of the commitment]. State from before arrivals were counted goes by
 * rounds.
 */
function cameBefore({ seen, arrival }: CommitmentFacts, entry: Arrived): boolean {
  if (arrival !== undefined && entry.arrival !== undefined) return arrival < entry.arrival
  return seen !== undefined && seen < entry.tenureRound
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
