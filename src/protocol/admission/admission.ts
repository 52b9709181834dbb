/**
 * Admission: what a storing node does with a claim. Pure: the caller makes time pass (`tickEntry`) before it asks,
 * brings in what neighbours say when the decision is `ask`, and stores what the decision says.
 */
import { equalBytes } from '../encoding/bytes.ts'
import type { Claim } from '../claim/claim.ts'
import type { Entry } from './entry.ts'
import { isRipe, MAX_REPAIRS, newEntry, ownSight, settled, withClaim, withContender, withRival } from './entry.ts'
import { leaseState, revealWindow } from '../name/lease.ts'
import type { Agreed, NeighbourFacts } from './neighbours.ts'
import { claimToAdopt, claimToRepair, isAnswered, isUnopposed } from './neighbours.ts'
import { claimToYieldTo } from './contenders.ts'
import { compareContest, compareRecords, noteEquivocation } from '../claim/order.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import type { ProtocolTime } from '../time/protocol-time.ts'
import type { CommitmentFacts } from './witness.ts'
import { isWitnessed } from './witness.ts'

export interface AdmissionFacts {
  readonly time: ProtocolTime
  readonly commitment: CommitmentFacts
  /** What the k closest hold; left out until they were asked. */
  readonly neighbours?: NeighbourFacts
}

/**
 * `not-neighbour`: K is not ours to store. `dead`: the lease has ended. `taken`: an entry that no other claim can end,
 * of whichever key. `contest`: a better claim is held. `unwitnessed`: only a witnessed claim could replace the entry.
 * None of these is the sender's fault.
 */
export type RefusalCode = 'not-neighbour' | 'dead' | 'taken' | 'contest' | 'unwitnessed'

export type Decision =
  /** Keep this entry with the offered record. `changed` is false when it was held already. */
  | { readonly kind: 'store'; readonly entry: Entry; readonly changed: boolean }
  /** The same claim has a newer record: give that back. `entry` notes an equivocation. */
  | { readonly kind: 'stale'; readonly entry: Entry }
  /** `entry` is what is held, with what is to be noted in it. */
  | { readonly kind: 'refuse'; readonly code: RefusalCode; readonly detail: string; readonly entry?: Entry }
  /** Ask the k closest what they hold, then call again with the answers. */
  | { readonly kind: 'ask' }
  /**
   * The neighbourhood holds another claim: fetch and validate it, enter it with `adopt`, then offer this claim again.
   * If nobody hands it over, call again without the answers that named it.
   */
  | { readonly kind: 'adopt'; readonly agreed: Agreed }
  /** No verified pulse of the last day, or in a contest of its last rounds: new names and renewals wait. */
  | { readonly kind: 'wait' }

/**
 * Refusals that cost nothing, before Valid. `claimed` comes from the record unverified, its id too; undefined: go on to
 * Valid.
 */
export function refuseEarly(
  entry: Entry | undefined,
  claimed: Pick<Claim, 'id' | 'pubkey' | 'newestRound'>,
  facts: { readonly isNeighbour: boolean; readonly time: ProtocolTime },
  profile: NetworkProfile
): Extract<Decision, { kind: 'refuse' }> | undefined {
  if (!facts.isNeighbour) return refuse('not-neighbour', 'this node is not among those that store this name')
  if (isDead(claimed, facts.time, profile)) return refuse('dead', 'the lease of this record and its grace have ended')
  if (entry?.state === 'settled' && !equalBytes(entry.claim.id, claimed.id))
    return refuse('taken', reasonTaken(entry, claimed), entry)
  return undefined
}

/**
 * The admission rule, for a claim that is Valid (so its pulses have moved `facts.time`) and an entry to which time has
 * been applied.
 */
export function admit(
  entry: Entry | undefined,
  claim: Claim,
  facts: AdmissionFacts,
  profile: NetworkProfile
): Decision {
  if (isDead(claim, facts.time, profile)) return refuse('dead', 'the lease of this record and its grace have ended')
  const witnessed = isWitnessed(claim, facts.commitment, facts.time, profile)
  if (entry === undefined) return enterAfterAsking(claim, witnessed, facts, profile)
  const isSameClaim = equalBytes(entry.claim.id, claim.id)
  if (entry.state === 'provisional' && witnessed) {
    return isSameClaim ? upgradeAfterAsking(entry, claim, facts, profile) : enterOver(entry, claim, facts, profile)
  }
  return isSameClaim ? admitSameClaim(entry, claim, facts) : admitRival(entry, claim, witnessed, facts, profile)
}

/**
 * Enters a claim that the neighbourhood holds, once its record is here and Valid. A claim adopted in place of another
 * keeps that one's tenure.
 */
export function adopt(agreed: Agreed, claim: Claim, time: ProtocolTime, replaced?: Entry): Entry {
  if (!equalBytes(agreed.claimId, claim.id)) throw new RangeError('the record is not that of the claim agreed on')
  const entered = newEntry(claim, agreed.state, time)
  if (replaced === undefined || replaced.state === 'provisional') return entered
  const repaired = { ...entered, tenureRound: replaced.tenureRound, repairs: replaced.repairs + 1 }
  const { contenders = [] } = replaced
  return contenders.some(({ id }) => equalBytes(id, claim.id))
    ? withContender({ ...repaired, contenders }, replaced.claim)
    : repaired
}

export type Revision =
  /** As in `Decision`. */
  | Extract<Decision, { kind: 'adopt' }>
  /** Keep the claim; this is what its entry becomes. */
  | { readonly kind: 'keep'; readonly entry: Entry }

/**
 * What the neighbours' answers to a question mean for an entry: repair of a settling one, adoption over a provisional
 * one or its confirmation, and that an entry whose time has come is settled. Undefined: nothing.
 */
export function reviseEntry(
  entry: Entry,
  neighbours: NeighbourFacts,
  time: ProtocolTime,
  profile: NetworkProfile
): Revision | undefined {
  if (entry.state === 'fresh' || entry.state === 'settled') return undefined
  const agreed =
    entry.state === 'provisional'
      ? claimToAdopt(neighbours, profile)
      : (claimToYieldTo(entry, neighbours, profile) ?? repairOf(entry, neighbours, profile))
  if (agreed === undefined) {
    const isFinal =
      entry.repairs >= MAX_REPAIRS
        ? isAnswered(neighbours, profile)
        : isUnopposed(entry.claim.id, neighbours, profile, ownSight(entry))
    return isFinal && isRipe(entry, time, profile) ? { kind: 'keep', entry: settled(entry) } : undefined
  }
  return equalBytes(agreed.claimId, entry.claim.id)
    ? { kind: 'keep', entry: adopt(agreed, entry.claim, time) }
    : { kind: 'adopt', agreed }
}

function repairOf(entry: Entry, neighbours: NeighbourFacts, profile: NetworkProfile): Agreed | undefined {
  return entry.repairs < MAX_REPAIRS ? claimToRepair(entry.claim.id, neighbours, profile, ownSight(entry)) : undefined
}

/** No entry: the neighbourhood may know better. Else `fresh` if witnessed, `provisional` if not. */
function enterAfterAsking(claim: Claim, witnessed: boolean, facts: AdmissionFacts, profile: NetworkProfile): Decision {
  if (!facts.time.fresh) return { kind: 'wait' }
  if (facts.neighbours === undefined) return { kind: 'ask' }
  const agreed = claimToAdopt(facts.neighbours, profile)
  if (agreed === undefined) return store(newEntry(claim, witnessed ? 'fresh' : 'provisional', facts.time))
  return equalBytes(agreed.claimId, claim.id) ? store(adopt(agreed, claim, facts.time)) : { kind: 'adopt', agreed }
}

/** A witnessed claim in place of one that nobody here has witnessed, and that others may have. */
function enterOver(entry: Entry, claim: Claim, facts: AdmissionFacts, profile: NetworkProfile): Decision {
  const decision = enterAfterAsking(claim, true, facts, profile)
  const isLater = facts.time.verified - entry.tenureRound > profile.contest
  return decision.kind !== 'store' || isLater
    ? decision
    : store(contended(decision.entry, entry.claim, facts.time, profile))
}

/**
 * A provisional entry whose claim turns out to be witnessed becomes `fresh`, unless the neighbourhood holds another
 * claim or the beacon is stale: then only the record is brought up to date, as if the claim were unwitnessed, and the
 * routine question decides the rest.
 */
function upgradeAfterAsking(entry: Entry, claim: Claim, facts: AdmissionFacts, profile: NetworkProfile): Decision {
  const asUnwitnessed = admitSameClaim(entry, claim, facts)
  if (!facts.time.fresh) return asUnwitnessed
  if (facts.neighbours === undefined) return { kind: 'ask' }
  const agreed = claimToAdopt(facts.neighbours, profile)
  if (agreed !== undefined && !equalBytes(agreed.claimId, claim.id)) return asUnwitnessed
  const { kind } = asUnwitnessed
  if (kind !== 'store' && kind !== 'stale') return asUnwitnessed
  const upgraded =
    agreed === undefined
      ? newEntry(asUnwitnessed.entry.claim, 'fresh', facts.time)
      : adopt(agreed, asUnwitnessed.entry.claim, facts.time)
  const entryWithNotes = { ...asUnwitnessed.entry, ...upgraded }
  return kind === 'store' ? store(entryWithNotes) : { kind, entry: entryWithNotes }
}

/**
 * Another claim while the entry is in contest, of whichever key, or the outcome would hang on the order of arrival.
 *
 * The window closes by v. While v is more than its length behind now, nobody wins: a beacon that stands still would
 * leave a contest open for as long as a VDF takes [a stopped beacon holds the contest open].
 */
function contest(
  entry: Entry,
  claim: Claim,
  witnessed: boolean,
  { time }: AdmissionFacts,
  profile: NetworkProfile
): Decision {
  const isBetter = compareContest(claim, entry.claim) < 0
  if (!witnessed)
    return refuse(
      'unwitnessed',
      'a claim that this node has not witnessed cannot win a contest',
      contended(entry, claim, time, profile)
    )
  if (!isBetter) return refuse('contest', 'an earlier claim stands', contended(entry, claim, time, profile))
  return time.fresh && time.now - time.verified <= profile.contest ? store(withClaim(entry, claim)) : { kind: 'wait' }
}

/**
 * Of an entry that liars had this node adopt during a contest. One that saw neither C has nothing to say: to him an old
 * name is as new as its rival.
 */
function hasSeenEither(
  entry: Entry,
  claim: Claim,
  { commitment: { seen }, time }: AdmissionFacts,
  profile: NetworkProfile
): boolean {
  return ownSight(entry) !== undefined || (seen !== undefined && isWitnessed(claim, { seen }, time, profile))
}

/**
 * Notes a claim that comes within the contest, early enough for a witness: what no contest could have, no neighbours
 * can vouch for [a finished claim that is kept back].
 */
function contended(entry: Entry, claim: Claim, time: ProtocolTime, profile: NetworkProfile): Entry {
  const isInTime =
    time.verified - entry.tenureRound <= profile.contest &&
    time.now - claim.firstRound <= revealWindow(claim.firstIterations, profile)
  return isInTime ? withContender(entry, claim) : entry
}

/** The order of one claim's records. */
function admitSameClaim(entry: Entry, claim: Claim, facts: AdmissionFacts): Decision {
  if (equalBytes(entry.claim.recordHash, claim.recordHash)) return { kind: 'store', entry, changed: false }
  const equivocation = noteEquivocation(entry.equivocation, entry.claim, claim)
  const noted: Entry = equivocation === undefined ? entry : { ...entry, equivocation }
  if (compareRecords(claim, entry.claim) < 0) return { kind: 'stale', entry: noted }
  const isRenewal = claim.newestRound !== entry.claim.newestRound
  if (isRenewal && !facts.time.fresh) return { kind: 'wait' }
  return store(withClaim(noted, claim))
}

/**
 * Another claim, of whichever key: the thief of a key could else put a first link of his own in the place of a settled
 * one [a second first link of a stolen key].
 */
function admitRival(
  entry: Entry,
  claim: Claim,
  witnessed: boolean,
  facts: AdmissionFacts,
  profile: NetworkProfile
): Decision {
  switch (entry.state) {
    case 'settled':
      return refuse('taken', reasonTaken(entry, claim), entry)
    case 'settling':
      return refuse(
        'taken',
        reasonTaken(entry, claim),
        hasSeenEither(entry, claim, facts, profile) ? contended(entry, claim, facts.time, profile) : entry
      )
    case 'provisional':
      return refuse('unwitnessed', 'another unwitnessed claim came first', withRival(entry, claim, facts.time))
    case 'fresh':
      return contest(entry, claim, witnessed, facts, profile)
  }
}

/** An owner whose daemon has forgotten its claim reads this. */
function reasonTaken(entry: Entry, rival: Pick<Claim, 'pubkey'>): string {
  if (equalBytes(entry.claim.pubkey, rival.pubkey))
    return (
      'another claim of this same key holds the name; ' +
      'that one can be renewed, and a second one is refused until it has lapsed'
    )
  return entry.state === 'settled'
    ? 'the name is settled with another key'
    : 'the contest for the name is over; another key holds it'
}

function isDead(claim: Pick<Claim, 'newestRound'>, time: ProtocolTime, profile: NetworkProfile): boolean {
  return leaseState(claim.newestRound, time.lapse, profile).state === 'dead'
}

function store(entry: Entry): Decision {
  return { kind: 'store', entry, changed: true }
}

function refuse(code: RefusalCode, detail: string, entry?: Entry): Extract<Decision, { kind: 'refuse' }> {
  return entry === undefined ? { kind: 'refuse', code, detail } : { kind: 'refuse', code, detail, entry }
}
