/**
 * Admission: what a storing node does with a claim. Pure. The caller applies time (`tickEntry`) first, brings in the
 * neighbours' answers when the decision is `ask`, and stores what the decision says.
 */
import { equalBytes } from '../encoding/bytes.ts'
import { type Claim, compareContest, isAhead } from '../claim/claim.ts'
import {
  type Entry,
  isRipe,
  MAX_REPAIRS,
  newEntry,
  ownSight,
  settled,
  withClaim,
  withContender,
  withRival
} from './entry.ts'
import { leaseState, revealWindow, type ProtocolTime } from '../time.ts'
import { isBacked, sinceAmong } from './key-changes.ts'
import { admitSameClaim, type SameClaim } from './same-claim.ts'
import {
  type Agreed,
  type NeighbourFacts,
  claimToAdopt,
  claimToRepair,
  isAnswered,
  isUnopposed,
  longKnown,
  roundsOfAcquaintance,
  claimToYieldTo
} from './neighbours.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import type { CommitmentFacts } from './witness.ts'
import { isWitnessed } from './witness.ts'

export interface AdmissionFacts {
  readonly time: ProtocolTime
  readonly commitment: CommitmentFacts
  /** The claim's place in the order in which commitments and claims come to this node; absent where nobody counts. */
  readonly arrival?: number
  /** What the k closest hold; absent until they are asked. */
  readonly neighbours?: NeighbourFacts
}

/**
 * `not-neighbour`: K is not ours to store. `dead`: the lease has ended. `ahead`: time has not reached the serial.
 * `taken`: no other claim can end the entry. `contest`: a better claim is held. `unwitnessed`: only a claim witnessed in
 * time could replace the entry. `changed`: its keys have changed in another way. None is the sender's fault.
 */
export type RefusalCode = 'not-neighbour' | 'dead' | 'ahead' | 'taken' | 'contest' | 'unwitnessed' | 'changed'

export type Decision =
  /**
   * `store`: keep this entry with the offered record. `stale`: the same claim has a newer one: return that; `entry` notes
   * an equivocation.
   */
  | Extract<SameClaim, { kind: 'store' | 'stale' }>
  /** `entry` is the held entry with new notes. */
  | { readonly kind: 'refuse'; readonly code: RefusalCode; readonly detail: string; readonly entry?: Entry }
  | { readonly kind: 'ask'; readonly about?: 'age' | 'branch' }
  /**
   * The neighbourhood holds another claim: fetch and validate it, `adopt` it, then offer this claim again. If no
   * neighbour sends it, call again without the answers that named it.
   */
  | { readonly kind: 'adopt'; readonly agreed: Agreed }
  /** No verified pulse of the last day, or of the last rounds in a contest: new names and renewals wait. */
  | { readonly kind: 'wait' }

/**
 * Refusals that cost nothing, before Valid. `claimed` is read from the unverified record, with its id. Undefined:
 * continue with Valid.
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
 * The admission rule, for a Valid claim (its pulses have moved `facts.time`) and an entry to which time was applied.
 */
export function admit(
  entry: Entry | undefined,
  claim: Claim,
  facts: AdmissionFacts,
  profile: NetworkProfile
): Decision {
  if (isDead(claim, facts.time, profile)) return refuse('dead', 'the lease of this record and its grace have ended')
  if (isAhead(claim, facts.time, profile))
    return refuse('ahead', `serial ${claim.serial} is ahead of time as known here; send the record again later`)
  const witnessed = isWitnessed(claim, facts.commitment, facts.time, profile)
  if (entry === undefined) return enterAfterAsking(claim, witnessed, facts, profile)
  const isSameClaim = equalBytes(entry.claim.id, claim.id)
  if (entry.state === 'provisional' && witnessed) {
    if (isSameClaim) return upgradeAfterAsking(entry, claim, facts, profile)
    // Who commits once this claim is shown may have read the name in it [a rival who commits after a slow owner].
    if (isWitnessed(claim, facts.commitment, facts.time, profile, entry)) return enterOver(entry, claim, facts, profile)
  }
  return isSameClaim ? admitRecord(entry, claim, facts, profile) : admitRival(entry, claim, witnessed, facts, profile)
}

/**
 * Enters the neighbourhood's claim, once its record is here and Valid. A replaced claim passes its tenure on.
 *
 * @param since `sinceAmong` the neighbours that agreed
 */
export function adopt(
  agreed: Agreed,
  claim: Claim,
  time: ProtocolTime,
  replaced?: Entry,
  since?: readonly number[]
): Entry {
  if (!equalBytes(agreed.claimId, claim.id)) throw new RangeError('the record is not that of the claim agreed on')
  const entered = newEntry(claim, agreed.state, time, since)
  if (replaced === undefined || replaced.state === 'provisional') return entered
  const repaired = { ...entered, tenureRound: replaced.tenureRound, repairs: replaced.repairs + 1 }
  const { contenders = [] } = replaced
  return contenders.some(({ id }) => equalBytes(id, claim.id))
    ? withContender({ ...repaired, contenders }, replaced.claim)
    : repaired
}

export type Revision = Extract<Decision, { kind: 'adopt' }> | { readonly kind: 'keep'; readonly entry: Entry }

/**
 * What the neighbours' answers mean for an entry: repair while it settles, adoption over a provisional one or its
 * confirmation, or that it is settled. Undefined: nothing.
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
      ? claimToAdopt(longKnown(neighbours, roundsOfAcquaintance(time, undefined, profile), profile), profile)
      : (claimToYieldTo(entry, neighbours, profile) ?? repairOf(entry, neighbours, profile))
  if (agreed === undefined) {
    const isFinal =
      entry.repairs >= MAX_REPAIRS
        ? isAnswered(neighbours, profile)
        : isUnopposed(entry.claim.id, neighbours, profile, ownSight(entry))
    return isFinal && isRipe(entry, time, profile) ? { kind: 'keep', entry: settled(entry) } : undefined
  }
  return equalBytes(agreed.claimId, entry.claim.id)
    ? { kind: 'keep', entry: { ...adopt(agreed, entry.claim, time, undefined, entry.since), ...noticeIn(entry) } }
    : { kind: 'adopt', agreed }
}

function noticeIn({ notice }: Entry): Pick<Entry, 'notice'> {
  return notice === undefined ? {} : { notice }
}

function repairOf(entry: Entry, neighbours: NeighbourFacts, profile: NetworkProfile): Agreed | undefined {
  return entry.repairs < MAX_REPAIRS ? claimToRepair(entry.claim.id, neighbours, profile, ownSight(entry)) : undefined
}

function agreedOf(
  neighbours: NeighbourFacts,
  { time, commitment }: AdmissionFacts,
  profile: NetworkProfile
): Agreed | undefined {
  return claimToAdopt(longKnown(neighbours, roundsOfAcquaintance(time, commitment.seen, profile), profile), profile)
}

/** No entry here, so the neighbours decide; then `fresh` if witnessed, `provisional` if not. */
function enterAfterAsking(claim: Claim, witnessed: boolean, facts: AdmissionFacts, profile: NetworkProfile): Decision {
  if (!facts.time.fresh) return { kind: 'wait' }
  if (facts.neighbours === undefined) return { kind: 'ask' }
  const agreed = agreedOf(facts.neighbours, facts, profile)
  if (agreed === undefined)
    return store(
      witnessed
        ? newEntry(claim, 'fresh', facts.time)
        : {
            ...newEntry(claim, 'provisional', facts.time),
            ...(facts.arrival !== undefined && { arrival: facts.arrival })
          }
    )
  if (!equalBytes(agreed.claimId, claim.id) || !isBacked(claim, facts.neighbours, profile))
    return { kind: 'adopt', agreed }
  const since = sinceAmong(claim, facts.neighbours, facts.time, profile)
  return store(adopt(agreed, claim, facts.time, undefined, since))
}

/** A claim witnessed before one without a witness came here replaces that, unless neighbours witnessed it. */
function enterOver(entry: Entry, claim: Claim, facts: AdmissionFacts, profile: NetworkProfile): Decision {
  const decision = enterAfterAsking(claim, true, facts, profile)
  const isLater = facts.time.verified - entry.tenureRound > profile.contest
  return decision.kind !== 'store' || isLater
    ? decision
    : store(contended(decision.entry, entry.claim, facts.time, profile))
}

/**
 * A provisional entry whose claim proves to be witnessed becomes `fresh`. If the neighbourhood holds another claim or
 * the beacon is stale, only its record is updated, and the routine question decides.
 */
function upgradeAfterAsking(entry: Entry, claim: Claim, facts: AdmissionFacts, profile: NetworkProfile): Decision {
  const asUnwitnessed = admitRecord(entry, claim, facts, profile)
  if (!facts.time.fresh) return asUnwitnessed
  if (facts.neighbours === undefined) return { kind: 'ask' }
  const agreed = agreedOf(facts.neighbours, facts, profile)
  if (agreed !== undefined && !equalBytes(agreed.claimId, claim.id)) return asUnwitnessed
  if (asUnwitnessed.kind !== 'store' && asUnwitnessed.kind !== 'stale') return asUnwitnessed
  const upgraded =
    agreed === undefined
      ? newEntry(asUnwitnessed.entry.claim, 'fresh', facts.time)
      : adopt(agreed, asUnwitnessed.entry.claim, facts.time)
  const entryWithNotes = { ...asUnwitnessed.entry, ...upgraded, since: asUnwitnessed.entry.since }
  return asUnwitnessed.kind === 'store' ? store(entryWithNotes) : { ...asUnwitnessed, entry: entryWithNotes }
}

/**
 * Any other claim during the contest, of whichever key; otherwise the order of arrival would decide.
 * The window closes by v. While v is more than its length behind now, no claim wins. A stopped beacon would otherwise
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
  if (!isBetter) return refuse('contest', 'an earlier claim is held', contended(entry, claim, time, profile))
  return time.fresh && time.now - time.verified <= profile.contest
    ? store(withClaim(entry, claim, time))
    : { kind: 'wait' }
}

/**
 * A settling entry notes a claim whose C this node saw in time whenever it comes: a partition may have hidden it until
 * the contest was over [a partition in the contest]. Others it notes within the contest, if it saw C of its own: to a
 * node that saw neither an old name looks as new as its rival.
 */
function noted(entry: Entry, claim: Claim, { commitment, time }: AdmissionFacts, profile: NetworkProfile): Entry {
  const { seen } = commitment
  if (seen !== undefined && isWitnessed(claim, { seen }, time, profile)) return withContender(entry, claim)
  return ownSight(entry) === undefined ? entry : contended(entry, claim, time, profile)
}

/**
 * Notes a claim within the contest, early enough for a witness. Neighbours cannot vouch for any other [a finished claim
 * that is kept back].
 */
function contended(entry: Entry, claim: Claim, time: ProtocolTime, profile: NetworkProfile): Entry {
  const isInTime =
    time.verified - entry.tenureRound <= profile.contest &&
    time.now - claim.firstRound <= revealWindow(claim.firstIterations, profile)
  return isInTime ? withContender(entry, claim) : entry
}

function admitRecord(entry: Entry, claim: Claim, facts: AdmissionFacts, profile: NetworkProfile): Decision {
  const decision = admitSameClaim(entry, claim, facts, profile)
  return decision.kind === 'changed'
    ? refuse('changed', 'another change of the keys of this claim is held', entry)
    : decision
}

/**
 * Another claim, of whichever key: otherwise the thief of a key could replace a settled first link [a second first link
 * of a stolen key].
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
      return refuse('taken', reasonTaken(entry, claim), noted(entry, claim, facts, profile))
    case 'provisional':
      return refuse(
        'unwitnessed',
        witnessed ? 'its commitment came after another claim of the name' : 'another unwitnessed claim came first',
        withRival(entry, claim, facts.time)
      )
    case 'fresh':
      return contest(entry, claim, witnessed, facts, profile)
  }
}

/** For an owner whose daemon has lost its claim. */
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
