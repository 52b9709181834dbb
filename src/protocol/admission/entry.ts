/**
 * An entry: what a storing node thinks of a name. State changes by time are here, changes by claims in admission.ts.
 */
import { equalBytes } from '../encoding/bytes.ts'
import type { Claim } from '../claim/claim.ts'
import { leaseState } from '../name/lease.ts'
import { compareContest, type Equivocation } from '../claim/order.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import type { ProtocolTime } from '../time/protocol-time.ts'

/**
 * `fresh`: in contest. `settling`: only repair changes it. `settled`: only death ends it.
 * `provisional`: nobody we know has witnessed it; it has no vote while any other state answers.
 */
export type EntryState = 'fresh' | 'settling' | 'settled' | 'provisional'

export interface Entry {
  readonly state: EntryState
  readonly claim: Claim
  /** v when the first claim of this tenure was entered; a replacement does not change it. */
  readonly tenureRound: number
  /** Of a provisional entry: v when it was entered or a new rival last came. */
  readonly quietRound: number
  /** Of a provisional entry: ids of rivals that have come, so that none delays it twice; at most MAX_RIVALS. */
  readonly rivals: readonly Uint8Array[]
  /** How often repair has put another claim here in this tenure; at most MAX_REPAIRS. */
  readonly repairs: number
  /** The last time the owner signed two payloads at one (p, serial). */
  readonly equivocation?: Equivocation
  /**
   * Until it settles: the claims that were beaten here in its contest, or would have won it with a witness, lowest
   * first; at most MAX_CONTENDERS.
   */
  readonly contenders?: readonly Contender[]
  /** Until it settles: this node's own sight of C, kept here since the table of commitments may forget it. */
  readonly sight?: Sight
}

/** A claim's place in the order of contests. */
export type Contender = Pick<Claim, 'id' | 'firstRound' | 'tie'>

/** This node stored C itself at round s, in time for the claim. */
export interface Sight {
  readonly commitment: Uint8Array
  readonly seen: number
}

/** A rival costs a whole VDF; past this many the entry settles without regard to more. */
export const MAX_RIVALS = 16

/** Each costs a whole VDF that ends within one contest. */
export const MAX_CONTENDERS = 16

/**
 * Neighbours that tell each half of a divided neighbourhood what the other half holds could turn entries over and over
 * [a repair that swings back and forth].
 */
export const MAX_REPAIRS = 2

/** A new entry of a tenure that begins now. */
export function newEntry(claim: Claim, state: EntryState, time: Pick<ProtocolTime, 'verified'>): Entry {
  return { state, claim, tenureRound: time.verified, quietRound: time.verified, rivals: [], repairs: 0 }
}

/**
 * What time makes of an entry; undefined once it is dead. Gives the same object back when nothing changes.
 *
 * Only verified rounds count: neither a wrong clock nor a beacon that is down ends a contest or kills. Nothing settles
 * by time alone (`isRipe`).
 */
export function tickEntry(entry: Entry, time: ProtocolTime, profile: NetworkProfile): Entry | undefined {
  if (leaseState(entry.claim.newestRound, time.lapse, profile).state === 'dead') return undefined
  const isOver = entry.state === 'fresh' && time.verified - entry.tenureRound > profile.contest
  return isOver ? { ...entry, state: 'settling' } : entry
}

/**
 * Whether an entry has stood for long enough to settle. It settles when the neighbours, asked after that, oppose it no
 * more: this node may have slept while the others settled on another claim [a holder that slept while others settled].
 */
export function isRipe(
  { state, tenureRound, quietRound }: Entry,
  time: Pick<ProtocolTime, 'verified'>,
  profile: NetworkProfile
): boolean {
  if (state === 'provisional') return time.verified - quietRound > profile.provisional_settle
  return state === 'settling' && time.verified - tenureRound > profile.settle
}

/** The entry with another record in its place; what was noted of a claim goes with that claim. */
export function withClaim(entry: Entry, claim: Claim): Entry {
  if (equalBytes(entry.claim.id, claim.id)) return { ...entry, claim }
  const { state, tenureRound, quietRound, rivals, repairs, contenders } = entry
  return withContender(
    { state, claim, tenureRound, quietRound, rivals, repairs, ...(contenders && { contenders }) },
    entry.claim
  )
}

/** Notes that another claim of the name of a provisional entry has come: its quiet time begins again, once a rival. */
export function withRival(entry: Entry, rival: Claim, time: Pick<ProtocolTime, 'verified'>): Entry {
  if (entry.rivals.length >= MAX_RIVALS || entry.rivals.some((id) => equalBytes(id, rival.id))) return entry
  return { ...entry, quietRound: time.verified, rivals: [...entry.rivals, rival.id] }
}

/**
 * Notes a claim that came within the entry's contest: of two, the neighbours may tell later which one others have
 * witnessed.
 */
export function withContender(entry: Entry, { id, firstRound, tie }: Contender): Entry {
  const known = entry.contenders ?? []
  if (equalBytes(entry.claim.id, id) || known.some((each) => equalBytes(each.id, id))) return entry
  return { ...entry, contenders: [...known, { id, firstRound, tie }].sort(compareContest).slice(0, MAX_CONTENDERS) }
}

/** The entry as one that only death ends. */
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
 * The entry with this node's own sight of its claim, where it is a witness (`isWitnessed` by `seen` alone). A settled
 * entry needs none.
 */
export function withSight(entry: Entry, seen: number | undefined): Entry {
  const { sight, ...rest } = entry
  if (entry.state === 'settled') return sight === undefined ? entry : rest
  if (seen === undefined || ownSight(entry) !== undefined) return entry
  return { ...rest, sight: { commitment: entry.claim.commitment, seen } }
}

/** s of the entry's claim where this node is a witness of it; undefined elsewhere. */
export function ownSight({ claim, sight }: Entry): number | undefined {
  return sight !== undefined && equalBytes(sight.commitment, claim.commitment) ? sight.seen : undefined
}
