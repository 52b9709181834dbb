/**
 * What a storing node keeps besides entries: commitments, budgets of changes, stubs.
 */
import type { NetworkProfile } from '../profile/profile.ts'
import type { ProtocolTime } from '../time.ts'
import { encodeCbor } from '../encoding/cbor.ts'
import { type Reveal, linksOfProof } from '../claim/reveal.ts'
import { decodeVdfProof, type Link, linkValue } from '../claim/proof.ts'

export interface OpenCommitment {
  /** C, 32 bytes. */
  readonly commitment: Uint8Array
  /** s: now when C was first seen; never changes [resetting the stamp]. */
  readonly seen: number
  /** Its place in the order of arrival here; absent for one stored before arrivals were counted. */
  readonly arrival?: number
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

export interface ChangeBudget {
  /** Changes still allowed at once. */
  readonly left: number
  readonly atMs: number
}

/**
 * The budget after one change; undefined when it must wait (until `nextChangeMs`). Before a name's first change there
 * is no budget.
 */
export function spendChange(
  budget: ChangeBudget | undefined,
  nowMs: number,
  profile: NetworkProfile
): ChangeBudget | undefined {
  const left = refilled(budget, nowMs, profile)
  return left < 1 ? undefined : { left: left - 1, atMs: nowMs }
}

export function nextChangeMs(budget: ChangeBudget | undefined, nowMs: number, profile: NetworkProfile): number {
  const missing = 1 - refilled(budget, nowMs, profile)
  return missing <= 0 ? nowMs : nowMs + Math.ceil(missing * profile.changes.interval * 1000)
}

/** A clock set back refills nothing, unless by more than a full refill takes: then nobody waits until it is as before. */
function refilled(budget: ChangeBudget | undefined, nowMs: number, profile: NetworkProfile): number {
  const { interval, burst } = profile.changes
  if (budget === undefined || interval === 0) return burst
  const changes = (nowMs - budget.atMs) / (interval * 1000)
  return changes < -burst ? burst : Math.min(burst, budget.left + Math.max(0, changes))
}

export interface Stub {
  name: string
  /** The first signing key, and the hash of the first change key: C is made of them. */
  pubkey: Uint8Array
  next?: Uint8Array | undefined
  first: Link
  /** The same as `first` where the name was never renewed. */
  newest: Link
}

/**
 * About 1 KB (docs/protocol/wire.md, 8): two links of at most 480 bytes, each with its salt, name and
 * two keys.
 */
export const MAX_STUB_BYTES = 1240

export function stubOf(reveal: Reveal): Stub {
  const { first = reveal.pubkey, next, ...proof } = decodeVdfProof(reveal.vdf_proof)
  const links = linksOfProof(reveal, proof)
  return { name: reveal.name, pubkey: first, next, first: links[0]!, newest: links.at(-1)! }
}

/** Deterministic CBOR {name, pubkey, next?, first, newest?}; `newest` only where it is another link. */
export function encodeStub({ name, pubkey, next, first, newest }: Stub): Uint8Array {
  const own = { name, pubkey, ...(next && { next }), first: linkValue(first) }
  return encodeCbor(newest.p === first.p ? own : { ...own, newest: linkValue(newest) })
}
