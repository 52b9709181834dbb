/**
 * Pins: which claim of a name a resolver trusts, and from when on. docs/protocol/rules.md, 11 has the table of states.
 */
import { equalBytes } from '../encoding/bytes.ts'
import { leaseState, type ProtocolTime } from '../time.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import type { Candidate, Tally } from './quorum.ts'
import { relateChanges } from '../claim/changes.ts'
import { type Claim, type RecordOrder, compareRecords } from '../claim/claim.ts'

/** A tentative pin ends this many `pin_after` after its first sighting, unless a second makes it firm. */
const TENTATIVE_SPAN = 2

/** The second look is spread over this part of `pin_after`; the rest is for retries. */
const LOOK_SPREAD = 0.75

/** A claim that was seen: its id says which one, another claim of the same key is another one. */
export interface SeenClaim {
  readonly claim: Uint8Array
  readonly pubkey: Uint8Array
  /** Hashes of the changes of its keys that were final then; absent for none. */
  readonly changes?: readonly Uint8Array[]
}

interface Remembered extends SeenClaim {
  /** p of the newest link seen. */
  readonly newestRound: number
  /** Round of the first sighting, by the clock where that is ahead of the beacon. */
  readonly firstRound: number
}

/** Seen once: warns, does not bind. */
export interface TentativePin extends Remembered {
  readonly state: 'tentative'
  /** Round from which this daemon looks a second time by itself. */
  readonly lookRound: number
  /** Another claim that a majority named shortly before. */
  readonly rival?: SeenClaim
}

/** Seen twice: binds until the lease is dead. */
export interface FirmPin extends Remembered {
  readonly state: 'firm'
  /** Verified round of the second sighting. */
  readonly firmRound: number
}

export type Pin = TentativePin | FirmPin

export interface Sighting {
  readonly time: Pick<ProtocolTime, 'now' | 'lapse'>
  /**
   * A full look-up that waited for all answers, so it took other paths than one that the routing table answered. Only
   * such a look makes a pin firm.
   */
  readonly isSecondLook: boolean
  /** 0 <= x < 1, at random: when within its span a second look comes. */
  readonly spread: number
}

/**
 * `pin`: another claim than the firmly pinned one. `two-majorities`: another claim than a majority named shortly
 * before.
 */
export type PinRule = 'pin' | 'two-majorities'

export type Ruled =
  | Tally
  | {
      readonly kind: 'contested'
      readonly rule: PinRule
      readonly candidates: readonly Candidate[]
      /** Other claims, seen before. */ readonly remembered: readonly SeenClaim[]
    }

export interface Ruling {
  readonly result: Ruled
  readonly pin: Pin | undefined
}

/** Checks a tally against earlier sightings; returns its result and what to remember. */
export function rulePin(tally: Tally, former: Pin | undefined, sighting: Sighting, profile: NetworkProfile): Ruling {
  const { time } = sighting
  const known = livePin(former, time, profile)
  if (tally.kind !== 'owner') return { result: tally, pin: known }
  const { owner } = tally
  if (known?.state === 'firm') {
    if (isSeen(known, owner.newest)) return { result: tally, pin: renewed(known, owner) }
    return { result: { kind: 'contested', rule: 'pin', candidates: [owner], remembered: [known] }, pin: known }
  }
  const pin = seen(tally, known, sighting, profile)
  if (pin?.state !== 'tentative' || pin.rival === undefined || !isContested(pin, time, profile))
    return { result: tally, pin }
  const remembered = [pin, pin.rival].filter((each) => !isSeen(each, owner.newest))
  return { result: { kind: 'contested', rule: 'two-majorities', candidates: [owner], remembered }, pin }
}

/**
 * The pin while it is valid: until its lease is dead, a tentative one until its span is over. Ignores future sightings.
 */
export function livePin(
  pin: Pin | undefined,
  time: Pick<ProtocolTime, 'now' | 'lapse'>,
  profile: NetworkProfile
): Pin | undefined {
  if (pin === undefined || leaseState(pin.newestRound, time.lapse, profile).state === 'dead') return undefined
  if (pin.state === 'firm') return pin
  return pin.firstRound <= time.now && time.now <= tentativeEnd(pin, profile) ? pin : undefined
}

/** The last round of a tentative pin that nothing makes firm. */
export function tentativeEnd({ firstRound }: TentativePin, profile: NetworkProfile): number {
  return firstRound + TENTATIVE_SPAN * profile.pin_after
}

/** Whether two majorities named two owners, neither of which has lasted for `pin_after` rounds since. */
export function isContested(
  { rival, firstRound }: TentativePin,
  { lapse }: Pick<ProtocolTime, 'lapse'>,
  profile: NetworkProfile
): boolean {
  return rival !== undefined && lapse < firstRound + profile.pin_after
}

/**
 * The tentative pin, or none, after the tally of an owner. The first sighting goes by `now`, its age by `lapse`:
 * neither a slow clock nor a slow beacon shortens it.
 */
function seen(
  tally: Extract<Tally, { kind: 'owner' }>,
  known: TentativePin | undefined,
  { time, isSecondLook, spread }: Sighting,
  profile: NetworkProfile
): Pin | undefined {
  const { owner } = tally
  const isSame = known !== undefined && isSeen(known, owner.newest)
  if (!isSighting(tally, profile)) return isSame ? renewed(known, owner) : known
  const { newest } = owner
  if (!isSame) {
    return {
      state: 'tentative',
      ...seenOf(owner),
      newestRound: newest.newestRound,
      firstRound: time.now,
      lookRound: time.now + Math.ceil((1 + LOOK_SPREAD * spread) * profile.pin_after),
      ...(known !== undefined && { rival: seenBefore(known) })
    }
  }
  const pin = renewed(known, owner)
  const { firstRound, newestRound } = pin
  if (!isSecondLook || time.lapse < firstRound + profile.pin_after) return pin
  return { state: 'firm', ...seenBefore(pin), newestRound, firstRound, firmRound: time.lapse }
}

/**
 * Whether a tally counts as a sighting: most votes say settled, and it is not thin [the only peer that answers]. Where
 * prefixes are limited it also needs `repair_quorum` votes; other networks may have fewer peers.
 */
function isSighting(
  { owner, settled, thin }: Extract<Tally, { kind: 'owner' }>,
  { answers_per_prefix: perPrefix, repair_quorum: quorum }: NetworkProfile
): boolean {
  return settled && !thin && (perPrefix === 0 || owner.votes >= quorum)
}

/** The pin after another sighting of its claim: it follows a renewal, and changes of its keys that are final. */
function renewed<P extends Pin>(pin: P, owner: Candidate): P {
  const { newest, final } = owner
  const followed = final && newest.changes.length > (pin.changes?.length ?? 0) ? { ...pin, ...seenOf(owner) } : pin
  return newest.newestRound > pin.newestRound ? { ...followed, newestRound: newest.newestRound } : followed
}

/** Changes that are not final are left out: another may still take their place. */
function seenOf({ pubkey, newest, final }: Candidate): SeenClaim {
  const changes = final ? newest.changes.map(({ hash }) => hash) : []
  return { claim: newest.id, pubkey, ...(changes.length > 0 && { changes }) }
}

function seenBefore({ claim, pubkey, changes }: SeenClaim): SeenClaim {
  return { claim, pubkey, ...(changes && { changes }) }
}

/** Whether this is the claim seen before, with the changes seen then [a name sold twice]. */
function isSeen({ claim, changes = [] }: SeenClaim, newest: Claim): boolean {
  if (!equalBytes(claim, newest.id)) return false
  const seen = changes.map((hash) => ({ hash }))
  return typeof relateChanges(seen, newest.changes) !== 'number'
}

export function isRollback(memory: RecordOrder | undefined, record: RecordOrder): boolean {
  return memory !== undefined && compareRecords(record, memory) < 0
}

export function remember(
  memory: RecordOrder | undefined,
  { changes, newestRound, serial, payloadHash, recordHash }: RecordOrder
): RecordOrder {
  const seen = { changes, newestRound, serial, payloadHash, recordHash }
  return memory === undefined || compareRecords(seen, memory) > 0 ? seen : memory
}
