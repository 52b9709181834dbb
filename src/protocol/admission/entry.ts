/** An entry: a storing node's state of a name. Time changes it here, claims in admission.ts. */
import { equalBytes } from '../encoding/bytes.ts'
import type { Claim } from '../claim/claim.ts'
import { leaseState } from '../name/lease.ts'
import { compareContest, type Equivocation } from '../claim/order.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import type { ProtocolTime } from '../time/protocol-time.ts'

/**
 * `fresh`: in contest. `settling`: only repair changes it. `settled`: only death ends it. `provisional`: without a
 * known witness; it has no vote while any other state answers.
 */
export type EntryState = 'fresh' | 'settling' | 'settled' | 'provisional'

export interface Entry {
  readonly state: EntryState
  readonly claim: Claim
  /** v when the first claim of this tenure was entered; a replacement does not change it. */
  readonly tenureRound: number
  /** For a provisional entry: v at its entry or its latest new rival. */
  readonly quietRound: number
  /** For a provisional entry: ids of its rivals, so that each delays it once; at most MAX_RIVALS. */
  readonly rivals: readonly Uint8Array[]
  /** Claims replaced by repair in this tenure; at most MAX_REPAIRS. */
  readonly repairs: number
  /** The last time the owner signed two payloads at one (p, serial). */
  readonly equivocation?: Equivocation
  /**
   * Until it settles: claims beaten in its contest, or that a witness would have made win. Lowest first; at most
   * MAX_CONTENDERS.
   */
  readonly contenders?: readonly Contender[]
  /** Until it settles: this node's own sight of C, in case the table of commitments forgets it. */
  readonly sight?: Sight
}

export type Contender = Pick<Claim, 'id' | 'firstRound' | 'tie'>

/** This node stored C itself at round s, in time for the claim. */
export interface Sight {
  readonly commitment: Uint8Array
  readonly seen: number
}

/** A rival costs a whole VDF; beyond this many the entry settles regardless. */
export const MAX_RIVALS = 16

/** Each costs a whole VDF that ends within one contest. */
export const MAX_CONTENDERS = 16

/**
 * Bound on repairs: neighbours that tell each half of a divided neighbourhood the other half's claim could swap entries
 * endlessly [a repair that swings back and forth].
 */
export const MAX_REPAIRS = 2

export function newEntry(claim: Claim, state: EntryState, time: Pick<ProtocolTime, 'verified'>): Entry {
  return { state, claim, tenureRound: time.verified, quietRound: time.verified, rivals: [], repairs: 0 }
}

/**
 * Applies time to an entry; undefined once it is dead. Returns the same object if nothing changes.
 * Only verified rounds count: neither a wrong clock nor a beacon that is down ends a contest or a lease. Time alone
 * settles nothing (`isRipe`).
 */
export function tickEntry(entry: Entry, time: ProtocolTime, profile: NetworkProfile): Entry | undefined {
  if (leaseState(entry.claim.newestRound, time.lapse, profile).state === 'dead') return undefined
  const isOver = entry.state === 'fresh' && time.verified - entry.tenureRound > profile.contest
  return isOver ? { ...entry, state: 'settling' } : entry
}

/**
 * Whether an entry is old enough to settle. It settles when the neighbours, asked after that, no longer oppose it: this
 * node may have slept meanwhile [a holder that slept while others settled].
 */
export function isRipe(
  { state, tenureRound, quietRound }: Entry,
  time: Pick<ProtocolTime, 'verified'>,
  profile: NetworkProfile
): boolean {
  if (state === 'provisional') return time.verified - quietRound > profile.provisional_settle
  return state === 'settling' && time.verified - tenureRound > profile.settle
}

/** Replaces the record; notes about another claim are dropped. */
export function withClaim(entry: Entry, claim: Claim): Entry {
  if (equalBytes(entry.claim.id, claim.id)) return { ...entry, claim }
  const { state, tenureRound, quietRound, rivals, repairs, contenders } = entry
  return withContender(
    { state, claim, tenureRound, quietRound, rivals, repairs, ...(contenders && { contenders }) },
    entry.claim
  )
}

/** Notes another claim of a provisional entry's name: each new rival restarts the quiet time once. */
export function withRival(entry: Entry, rival: Claim, time: Pick<ProtocolTime, 'verified'>): Entry {
  if (entry.rivals.length >= MAX_RIVALS || entry.rivals.some((id) => equalBytes(id, rival.id))) return entry
  return { ...entry, quietRound: time.verified, rivals: [...entry.rivals, rival.id] }
}

/** Notes a claim within the entry's contest: neighbours may later tell which of two was witnessed. */
export function withContender(entry: Entry, { id, firstRound, tie }: Contender): Entry {
  const known = entry.contenders ?? []
  if (equalBytes(entry.claim.id, id) || known.some((each) => equalBytes(each.id, id))) return entry
  return { ...entry, contenders: [...known, { id, firstRound, tie }].sort(compareContest).slice(0, MAX_CONTENDERS) }
}

export function settled(entry: Entry): Entry {
  const { claim, tenureRound, quietRound, repairs, equivocation, sight } = entry
  return {
    state: 'settled',
    claim,
    tenureRound,
    quietRound,
    rivals: [],
    repairs,
    ...(equivocation && { equivocation }),
    ...(sight && { sight })
  }
}

/**
 * Adds this node's own sight of the claim, where it is a witness (`isWitnessed` by `seen` alone). A settled entry needs
 * none.
 */
export function withSight(entry: Entry, seen: number | undefined): Entry {
  const { sight, ...rest } = entry
  if (entry.state === 'settled') return sight === undefined ? entry : rest
  if (seen === undefined || ownSight(entry) !== undefined) return entry
  return { ...rest, sight: { commitment: entry.claim.commitment, seen } }
}

/** s of the entry's claim where this node witnessed it; otherwise undefined. */
export function ownSight({ claim, sight }: Entry): number | undefined {
  return sight !== undefined && equalBytes(sight.commitment, claim.commitment) ? sight.seen : undefined
}
