/** An entry: a storing node's state of a name. Time changes it here, claims in admission.ts. */
import { equalBytes } from '../encoding/bytes.ts'
import { type ChangeMark, relateChanges } from '../claim/changes.ts'
import { type Claim, compareContest, type Equivocation } from '../claim/claim.ts'
import { leaseState, type ProtocolTime } from '../time.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import {
  type CborValue,
  decodeOwnCbor,
  encodeCbor,
  arrayField,
  bytesField,
  fieldsOf,
  integerField,
  textField
} from '../encoding/cbor.ts'
import { EncodingError } from '../errors.ts'
import type { Name } from '../name/names.ts'
import { type HeldChanges, isPending } from './key-changes.ts'

/**
 * `fresh`: in contest. `settling`: only repair changes it. `settled`: only death ends it. `provisional`: without a
 * known witness; it has no vote while any other state answers.
 */
export type EntryState = 'fresh' | 'settling' | 'settled' | 'provisional'

export interface Entry {
  readonly state: EntryState
  readonly claim: Claim
  /** v when each change of the claim's keys was first seen here. */
  readonly since: readonly number[]
  /** The record of a change of its keys that has one signature and is not final here; `claim` is served meanwhile. */
  readonly notice?: Notice
  /** p of the newest link seen of this claim, where the record with the latest changes has an older one. */
  readonly leaseRound?: number
  /** v when the first claim of this tenure was entered; a replacement does not change it. */
  readonly tenureRound: number
  /** For a provisional entry: its claim's place in the order of arrival here; absent from before those were counted. */
  readonly arrival?: number
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

interface Notice {
  readonly claim: Claim
  /** As in the entry, of the changes of this record. */
  readonly since: readonly number[]
}

type Contender = Pick<Claim, 'id' | 'firstRound' | 'tie'>

/** This node stored C itself at round s, in time for the claim. */
interface Sight {
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

export function newEntry(
  claim: Claim,
  state: EntryState,
  { verified }: Pick<ProtocolTime, 'verified'>,
  since: readonly number[] = claim.changes.map(() => verified)
): Entry {
  return { state, claim, since, tenureRound: verified, quietRound: verified, rivals: [], repairs: 0 }
}

/**
 * Applies time to an entry; undefined once it is dead. Returns the same object if nothing changes.
 * Only verified rounds count: neither a wrong clock nor a beacon that is down ends a contest or a lease. Time alone
 * settles nothing (`isRipe`).
 */
export function tickEntry(entry: Entry, time: ProtocolTime, profile: NetworkProfile): Entry | undefined {
  const newestRound = Math.max(entry.claim.newestRound, entry.leaseRound ?? 0)
  if (leaseState(newestRound, time.lapse, profile).state === 'dead') return undefined
  const { notice } = entry
  const served = notice === undefined || isPending(notice, time, profile) ? entry : withRecord(entry, notice)
  const isOver = served.state === 'fresh' && time.verified - served.tenureRound > profile.contest
  return isOver ? { ...served, state: 'settling' } : served
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

/** Serves another record of the claim. A notice stays where its changes follow those of the record. */
export function withRecord(entry: Entry, { claim, since }: HeldChanges & { readonly claim: Claim }): Entry {
  const { notice, ...rest } = entry
  const isAhead = notice !== undefined && relateChanges(claim.changes, notice.claim.changes) === 'longer'
  return withLink({ ...rest, claim, since, ...(isAhead && { notice }) }, entry.claim)
}

/** Replaces the claim by another one; notes about the former are dropped. */
export function withClaim(entry: Entry, claim: Claim, time: Pick<ProtocolTime, 'verified'>): Entry {
  const { state, tenureRound, quietRound, rivals, repairs, contenders } = entry
  return withContender(
    {
      ...newEntry(claim, state, time),
      tenureRound,
      quietRound,
      rivals,
      repairs,
      ...(contenders && { contenders })
    },
    entry.claim
  )
}

/**
 * Notes the newest link of another record of the claim. A thief of the change words could leave the last renewal out of
 * the record of a change, and the name would lapse before its owner has objected.
 */
export function withLink(entry: Entry, { newestRound }: Pick<Claim, 'newestRound'>): Entry {
  const known = Math.max(entry.claim.newestRound, entry.leaseRound ?? 0)
  return newestRound > known ? { ...entry, leaseRound: newestRound } : entry
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
  const { claim, since, notice, leaseRound, tenureRound, quietRound, repairs, equivocation, sight } = entry
  return {
    state: 'settled',
    claim,
    since,
    ...(notice && { notice }),
    ...(leaseRound !== undefined && { leaseRound }),
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

/* As bytes, for the store: deterministic CBOR that peers never see. */

const STATES: readonly string[] = ['fresh', 'settling', 'settled', 'provisional'] satisfies EntryState[]
const CLAIM_MEMBERS = [
  'name',
  'pubkey',
  'id',
  'commitment',
  'firstRound',
  'firstIterations',
  'tie',
  'newestRound',
  'serial',
  'payloadHash',
  'recordHash'
]

export function encodeEntry(entry: Entry): Uint8Array {
  const { state, claim, since, tenureRound, quietRound, rivals, repairs, equivocation, contenders, sight } = entry
  const fields: Record<string, CborValue> = {
    state,
    claim: claimValue(claim),
    since: [...since],
    tenureRound,
    quietRound,
    rivals: [...rivals],
    repairs
  }
  if (entry.notice !== undefined)
    fields['notice'] = { claim: claimValue(entry.notice.claim), since: [...entry.notice.since] }
  if (entry.leaseRound !== undefined) fields['leaseRound'] = entry.leaseRound
  if (entry.arrival !== undefined) fields['arrival'] = entry.arrival
  if (equivocation !== undefined)
    fields['equivocation'] = { ...equivocation, payloadHashes: [...equivocation.payloadHashes] }
  if (contenders !== undefined) fields['contenders'] = contenders.map((each) => ({ ...each }))
  if (sight !== undefined) fields['sight'] = { ...sight }
  return encodeCbor(fields)
}

function claimValue(claim: Claim): CborValue {
  return { ...claim, changes: claim.changes.map((change) => ({ ...change })) }
}

/** Throws EncodingError: the store is damaged. */
export function decodeEntry(bytes: Uint8Array): Entry {
  const fields = fieldsOf(
    decodeOwnCbor(bytes),
    ['state', 'claim', 'tenureRound', 'quietRound', 'rivals'],
    ['since', 'notice', 'leaseRound', 'arrival', 'repairs', 'equivocation', 'contenders', 'sight']
  )
  const state = textField(fields, 'state')
  if (!STATES.includes(state)) throw new EncodingError(`state: ${state} is none`)
  const { claim, since } = heldFrom(fields)
  const rivals = arrayField(fields, 'rivals').map((id) => bytesField({ id }, 'id', 32))
  if (rivals.length > MAX_RIVALS) throw new EncodingError('rivals: too many')
  const entry: Entry = {
    state: state as EntryState,
    claim,
    since,
    tenureRound: integerField(fields, 'tenureRound'),
    quietRound: integerField(fields, 'quietRound'),
    rivals,
    // Entries of older versions lack it.
    repairs: Object.hasOwn(fields, 'repairs') ? integerField(fields, 'repairs') : 0
  }
  return {
    ...entry,
    ...(Object.hasOwn(fields, 'notice') && { notice: heldFrom(fieldsOf(fields['notice'], ['claim', 'since'])) }),
    ...(Object.hasOwn(fields, 'leaseRound') && { leaseRound: integerField(fields, 'leaseRound') }),
    ...(Object.hasOwn(fields, 'arrival') && { arrival: integerField(fields, 'arrival') }),
    ...(Object.hasOwn(fields, 'equivocation') && { equivocation: equivocationFrom(fields['equivocation']) }),
    ...(Object.hasOwn(fields, 'contenders') && { contenders: contendersFrom(arrayField(fields, 'contenders')) }),
    ...(Object.hasOwn(fields, 'sight') && { sight: sightFrom(fields['sight']) })
  }
}

function heldFrom(fields: ReturnType<typeof fieldsOf>): Notice {
  const [claim, since] = [claimFrom(fields['claim']), sinceFrom(fields)]
  if (since.length !== claim.changes.length) throw new EncodingError('since: one round for each change')
  return { claim, since }
}

function claimFrom(value: CborValue | undefined): Claim {
  const fields = fieldsOf(value, CLAIM_MEMBERS, ['changes'])
  return {
    // The name was valid when stored.
    name: textField(fields, 'name') as Name,
    pubkey: bytesField(fields, 'pubkey', 32),
    changes: Object.hasOwn(fields, 'changes') ? arrayField(fields, 'changes').map(changeMarkFrom) : [],
    id: bytesField(fields, 'id', 32),
    commitment: bytesField(fields, 'commitment', 32),
    firstRound: integerField(fields, 'firstRound'),
    firstIterations: integerField(fields, 'firstIterations'),
    tie: bytesField(fields, 'tie', 32),
    newestRound: integerField(fields, 'newestRound'),
    serial: integerField(fields, 'serial'),
    payloadHash: bytesField(fields, 'payloadHash', 32),
    recordHash: bytesField(fields, 'recordHash', 32)
  }
}

function changeMarkFrom(value: CborValue | undefined): ChangeMark {
  const fields = fieldsOf(value, ['hash', 'consented'])
  const { consented } = fields
  if (typeof consented !== 'boolean') throw new EncodingError('consented: true or false is expected')
  return { hash: bytesField(fields, 'hash', 32), consented }
}

/** Entries from before keys could change lack it. */
function sinceFrom(fields: ReturnType<typeof fieldsOf>): number[] {
  if (!Object.hasOwn(fields, 'since')) return []
  return arrayField(fields, 'since').map((round) => integerField({ round }, 'round'))
}

function equivocationFrom(value: CborValue | undefined): Equivocation {
  const fields = fieldsOf(value, ['round', 'serial', 'payloadHashes'])
  const [low, high, ...rest] = arrayField(fields, 'payloadHashes').map((hash) => bytesField({ hash }, 'hash', 32))
  if (low === undefined || high === undefined || rest.length > 0)
    throw new EncodingError('payloadHashes: two are expected')
  return { round: integerField(fields, 'round'), serial: integerField(fields, 'serial'), payloadHashes: [low, high] }
}

function contendersFrom(values: readonly CborValue[]): Contender[] {
  if (values.length > MAX_CONTENDERS) throw new EncodingError('contenders: too many')
  return values.map((value) => {
    const fields = fieldsOf(value, ['id', 'firstRound', 'tie'])
    return {
      id: bytesField(fields, 'id', 32),
      firstRound: integerField(fields, 'firstRound'),
      tie: bytesField(fields, 'tie', 32)
    }
  })
}

function sightFrom(value: CborValue | undefined): Sight {
  const fields = fieldsOf(value, ['commitment', 'seen'])
  return { commitment: bytesField(fields, 'commitment', 32), seen: integerField(fields, 'seen') }
}
