/** A storing node's table of commitments: what expires, and what a full table drops. */
import type { NetworkProfile } from '../profile/profile.ts'
import type { ProtocolTime } from '../time/protocol-time.ts'

export interface OpenCommitment {
  /** C, 32 bytes. */
  readonly commitment: Uint8Array
  /** s: now when C was first seen; never changes [resetting the stamp]. */
  readonly seen: number
  /** An s before that which enough neighbours named; the first stays, though those who named it go. */
  readonly vouched?: number
  /** Now when C was last sent. */
  readonly lastSent: number
  /** Address prefix it first came from (see `addressPrefix`). */
  readonly prefix: string
  /** Leading zero bits of its stamp. */
  readonly work: number
}

/** Extends a resent commitment's life; s remains. */
export function sentAgain(known: OpenCommitment, time: Pick<ProtocolTime, 'now'>): OpenCommitment {
  return { ...known, lastSent: Math.max(known.lastSent, time.now) }
}

/** Notes the s that neighbours agree on, where this node saw C later. Who comes later has its word. */
export function vouchedFor(known: OpenCommitment, agreed: number | undefined): OpenCommitment {
  return agreed === undefined || agreed >= known.seen || known.vouched !== undefined
    ? known
    : { ...known, vouched: agreed }
}

/** Whether a commitment was not sent for `commit_keep` rounds. By verified rounds: a wrong clock forgets nothing. */
export function isForgotten(
  known: OpenCommitment,
  time: Pick<ProtocolTime, 'lapse'>,
  profile: NetworkProfile
): boolean {
  return time.lapse > known.lastSent + profile.commit_keep
}

/** What a full table drops: the least work in the prefix with the most commitments, the latest of equals. */
export function leastWorthy(table: readonly OpenCommitment[]): OpenCommitment | undefined {
  const counts = new Map<string, number>()
  for (const { prefix } of table) counts.set(prefix, (counts.get(prefix) ?? 0) + 1)
  const fullest = Math.max(0, ...counts.values())
  const candidates = table.filter(({ prefix }) => counts.get(prefix) === fullest)
  return candidates.reduce<OpenCommitment | undefined>((worst, next) => {
    if (worst === undefined || next.work < worst.work) return next
    return next.work === worst.work && next.seen >= worst.seen ? next : worst
  }, undefined)
}
