import type { Log } from '../evaluations/evaluator.ts'
import type { BeaconClient } from '../beacon/types.ts'
import type { DocumentJudge, NativePool } from '../native/types.ts'
import { ServiceError } from '../errors.ts'
import type { Network } from '../network/types.ts'
import type { KeyPair } from '../protocol/crypto/ed25519.ts'
import { nameKey, publicKeyOf, useOnce } from '../protocol/crypto/keys.ts'
import { equalBytes } from '../protocol/encoding/bytes.ts'
import { leaseState, type Lease, type ProtocolTime, roundTimeMs } from '../protocol/time.ts'
import type { Claim } from '../protocol/claim/claim.ts'
import type { Reveal } from '../protocol/claim/reveal.ts'
import { parseAskedName, type CodedName } from '../protocol/claim/check-code.ts'
import { canonicalName, parseName, type Name } from '../protocol/name/names.ts'
import { profileHash, type NetworkProfile } from '../protocol/profile/profile.ts'
import type { RoundClock, Clock } from '../time/clock.ts'
import type { OwnerSeed } from './seed-holder.ts'
import type { Store } from '../store/types.ts'
import { GivenCodes, Pins } from './stored/pins.ts'
import { PinLists } from './stored/pin-lists.ts'
import { LocalZones } from './stored/local-zones.ts'
import { Memory } from './stored/memory.ts'
import { OwnedNames } from './stored/owned-names.ts'
import { Receipts } from './stored/receipts.ts'
import { asServiceError } from '../service-errors.ts'

/** A beacon this many rounds late is away, not slow (the lag that docs/protocol/rules.md, 9, warns of). */
const BEACON_LOST_ROUNDS = 20
/** A daemon that has just started has its first pulse within this time, if any source answers. */
const FIRST_PULSE_TIMEOUT_MS = 5_000

export interface RegistryParts {
  readonly profile: NetworkProfile
  readonly store: Store
  readonly network: Network
  readonly beacon: BeaconClient
  readonly pool: Pick<NativePool, 'missingAddon' | 'verifyProof' | 'searchStamp' | 'measureRate' | 'plannedWork'> &
    DocumentJudge
  /** The names' keys come from it; it may be locked. */
  readonly seed: OwnerSeed
  readonly clock: Clock
  readonly roundClock: RoundClock
  readonly log: Log
  /** 0 <= x < 1: spreads what others could otherwise foresee. */
  readonly random: () => number
  /** `pins.codes`. Default: none. */
  readonly codes?: readonly string[] | undefined
}

/** The dependencies, with what every use case derives from them. Holds no state of its own. */
export interface RegistryContext extends Omit<RegistryParts, 'codes'> {
  readonly profileHash: Uint8Array
  readonly owned: OwnedNames
  readonly zones: LocalZones
  readonly memory: Memory
  readonly pins: Pins
  readonly receipts: Receipts
  /** The check codes that bare names mean here. */
  readonly codes: GivenCodes
  /** The lists of published pins that are followed. */
  readonly lists: PinLists
  time(): ProtocolTime
}

/** Throws SVC-CFG-001 for what `pins.codes` may not have. */
export function createContext({ codes = [], ...dependencies }: RegistryParts): RegistryContext {
  const { profile, store, roundClock } = dependencies
  const owned = new OwnedNames(store, profile)
  const pins = new Pins(store, profile)
  const given = new GivenCodes(store, configuredCodes(codes, profile))
  const lists = new PinLists(store, profile)
  return {
    ...dependencies,
    profileHash: profileHash(profile),
    owned,
    zones: new LocalZones(store),
    memory: new Memory(store, {
      isDead: (newestRound) => leaseState(newestRound, roundClock.time().lapse, profile).state === 'dead',
      isNeeded(name, claimId) {
        if (owned.get(name) !== undefined || given.get(name) !== undefined) return true
        if (lists.meant(name).kind !== 'unsaid') return true
        const pin = pins.get(name)
        return pin !== undefined && equalBytes(pin.claim, claimId)
      }
    }),
    pins,
    receipts: new Receipts(store),
    codes: given,
    lists,
    time: () => roundClock.time()
  }
}

/**
 * The name that a person wrote: any case, with or without a final dot. Throws SVC-NAM-001 unless valid, SVC-NAM-002
 * unless open here. `field`: where the request has it.
 */
export function openName(context: RegistryContext, text: string, field?: string): Name {
  return exactName(context, canonicalName(text), field)
}

/**
 * As `openName`, for where a name is looked up: it may carry the check code of a claim, or this machine may have one for
 * it.
 */
export function openCodedName(context: RegistryContext, text: string): CodedName {
  const { name, code = context.codes.get(name)?.code } = codedNameOf(context.profile, text)
  return code === undefined ? { name } : { name, code }
}

/**
 * A name that a person wrote, with its check code in the label, behind a space, or none. SVC-NAM-001, SVC-NAM-002.
 * `field`: where the request has it.
 */
export function codedNameOf(profile: NetworkProfile, text: string, field = 'name'): CodedName {
  try {
    return parseAskedName(canonicalName(text), profile)
  } catch (error) {
    throw asServiceError(error, field)
  }
}

function configuredCodes(texts: readonly string[], profile: NetworkProfile): ReadonlyMap<Name, string> {
  const codes = new Map<Name, string>()
  for (const text of texts) {
    const refuse = (why: string, cause?: unknown): never => {
      throw new ServiceError('SVC-CFG-001', `pins.codes: "${text}": ${why}.`, { cause })
    }
    try {
      const { name, code } = codedNameOf(profile, text)
      if (code === undefined) return refuse('a check code must follow the name, as in alice--7kq2mx.chronym')
      if (codes.has(name)) return refuse(`${name} is there twice`)
      codes.set(name, code)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'SVC-CFG-001') throw error
      refuse(error.message.replace(/\.$/, ''), error)
    }
  }
  return codes
}

/** The name of a signed record, which has one spelling only. Throws SVC-NAM-001 and SVC-NAM-002. */
export function exactName(context: RegistryContext, text: string, field = 'name'): Name {
  try {
    return parseName(text, context.profile)
  } catch (error) {
    throw asServiceError(error, field)
  }
}

/**
 * What `use` makes of this daemon's key for a name, which is overwritten then. Throws SVC-KEY-006.
 *
 * @param index the number of changes of the claim's keys before it
 */
export function withOwnKey<T>(context: RegistryContext, name: Name, index: number, use: (key: KeyPair) => T): T {
  return useOnce(nameKey(context.seed.require(), context.profileHash, name, index), use)
}

/** The public half of this daemon's key for a name. Throws SVC-KEY-006. */
export function derivedPublicKey(context: RegistryContext, name: Name, index: number): Uint8Array {
  return publicKeyOf(nameKey(context.seed.require(), context.profileHash, name, index))
}

/** Whether the keys of this claim are those of this daemon's seed. Throws SVC-KEY-006. */
export function isOwnClaim(context: RegistryContext, { name, pubkey, changes }: Claim): boolean {
  return equalBytes(pubkey, derivedPublicKey(context, name, changes.length))
}

/** Whether the key of a record is that of a name which this daemon holds, also while the seed is locked. */
export function hasOwnKey(context: RegistryContext, { name, pubkey }: Pick<Reveal, 'name' | 'pubkey'>): boolean {
  const held = context.owned.get(name)?.reveal.pubkey
  return held !== undefined && equalBytes(held, pubkey)
}

/**
 * Whether a claim has keys of this daemon's seed. While the seed is locked only the key of the record owned here is known:
 * false for any other.
 */
export function isKnownAsOwn(context: RegistryContext, claim: Claim): boolean {
  return hasOwnKey(context, claim) || (!context.seed.isLocked && isOwnClaim(context, claim))
}

/** The key of a name owned here, also while the seed is locked, else the one that would claim it. Throws SVC-KEY-006. */
export function ownPublicKey(context: RegistryContext, name: Name): Uint8Array {
  return context.owned.get(name)?.reveal.pubkey ?? derivedPublicKey(context, name, 0)
}

export function leaseOf(context: Pick<RegistryContext, 'time' | 'profile'>, newestRound: number): Lease {
  return leaseState(newestRound, context.time().lapse, context.profile)
}

/** When a round is due, ISO 8601. */
export function roundTime(context: Pick<RegistryContext, 'profile'>, round: number): string {
  return new Date(roundTimeMs(round, context.profile.beacon)).toISOString()
}

export function leaseEndsMs(context: RegistryContext, name: string): readonly number[] {
  const record = context.owned.get(name)
  if (record === undefined) return []
  const { endRound, graceEndRound } = leaseOf(context, record.reveal.drand_pulse)
  return [endRound, graceEndRound].map((round) => roundTimeMs(round, context.profile.beacon))
}

/** Our own verified round, by which pulses are chosen. Throws SVC-BCN-001 while the beacon is silent. */
export function verifiedRound(context: RegistryContext): number {
  const { verified, now } = context.time()
  // With a larger lag, our time of sending is too far before what peers call now.
  if (verified === 0 || now - verified > context.profile.min_commit + context.profile.receipt_slack) {
    throw beaconSilent(verified, now)
  }
  return verified
}

/**
 * Whether the daemon follows the beacon at all; task steps themselves wait out a lag of a pulse or two.
 * Waits for the first pulse after the start. Rejects with SVC-BCN-001.
 */
export async function requireBeacon(context: RegistryContext): Promise<void> {
  if (context.time().verified === 0) await firstPulse(context)
  const { verified, now } = context.time()
  if (verified === 0 || now - verified > BEACON_LOST_ROUNDS) throw beaconSilent(verified, now)
}

/** Resolves with the first pulse after the start, a few seconds later without one, or once aborted. */
export async function firstPulse({ beacon, clock }: RegistryContext, signal?: AbortSignal): Promise<void> {
  const waiting = new AbortController()
  const either = signal === undefined ? waiting.signal : AbortSignal.any([signal, waiting.signal])
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const off = beacon.on('pulse', () => resolve(undefined))
  try {
    await Promise.race([promise, clock.sleep(FIRST_PULSE_TIMEOUT_MS, either).catch(() => undefined)])
  } finally {
    off()
    waiting.abort()
  }
}

function beaconSilent(verified: number, now: number): ServiceError {
  const known =
    verified === 0
      ? 'No pulse has been verified yet'
      : `The newest verified pulse is of round ${verified}, and round ${now} is due`
  return new ServiceError('SVC-BCN-001', `${known}.`, { retryAfter: 10 })
}
