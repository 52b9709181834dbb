/**
 * When the renewals of one machine begin. They take turns: the one whose lease ends first is squared first
 * (evaluations/queue.ts). Pure.
 */
import { RENEWAL_MARGIN, renewalRound, type Lease } from '../../protocol/name/lease.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'

export interface RenewalToCome {
  readonly lease: Lease
  /** What it takes on this machine, in rounds of the calendar; 0 where there is none, or its time is unknown. */
  readonly rounds: number
}

/**
 * The round at which each begins: as early as it needs alone (docs/protocol/rules.md, 9), and earlier by what lets
 * those after it begin in time.
 * Of twenty leases that end together, the first renewal begins sixty times its own duration before the end. None begins
 * before its lease.
 * @param slots renewals at once, at least 1
 */
export function dueRounds(renewals: readonly RenewalToCome[], slots: number, profile: NetworkProfile): number[] {
  const due = new Map<RenewalToCome, number>()
  let nextBegins = Infinity
  for (const renewal of renewals.toSorted((left, right) => right.lease.endRound - left.lease.endRound)) {
    const { lease, rounds } = renewal
    nextBegins = Math.min(nextBegins, lease.endRound) - Math.ceil((RENEWAL_MARGIN * rounds) / slots)
    due.set(renewal, Math.max(lease.startRound, Math.min(renewalRound(lease.startRound, rounds, profile), nextBegins)))
  }
  return renewals.map((renewal) => due.get(renewal)!)
}
