import { randomBytes } from 'node:crypto'
import { ServiceError } from '../../errors.ts'
import type { CommitOutcome } from '../../network/types.ts'
import { commitmentHash, SALT_BYTES, claimRound } from '../../protocol/claim/commitment.ts'
import type { Name } from '../../protocol/name/names.ts'
import { stampFor } from '../publication/publishing.ts'
import { ownPublicKey, type RegistryContext } from '../context.ts'
import { encode } from 'cborg'
import * as v from 'valibot'
import { Bytes, Bytes32, Count, readCbor } from '../../store/stored-shapes.ts'

/** A beacon this many rounds late is away, not slow (the lag that docs/protocol/rules.md, 9, warns of). */
const BEACON_LOST_ROUNDS = 20
/** A daemon that has just started has its first pulse within this time, if any source answers. */
const FIRST_PULSE_TIMEOUT_MS = 5_000

/** C of our claim. Throws SVC-KEY-006. */
export function ownCommitment(context: RegistryContext, name: Name, salt: Uint8Array): Uint8Array {
  return commitmentHash(name, ownPublicKey(context, name), salt, context.profileHash)
}

/**
 * C of a claim whose pulse is chosen. While the seed is locked it comes from the receipts, so that squaring continues.
 * Throws SVC-KEY-006 where the receipts are of another claim.
 */
export function sentCommitment(
  context: RegistryContext,
  name: Name,
  { salt, pulseRound }: { readonly salt: Uint8Array; readonly pulseRound: number | null }
): Uint8Array {
  const sent = context.seed.isLocked && context.owned.get(name) === undefined ? context.receipts.get(name) : undefined
  return sent !== undefined && sent.pulseRound === pulseRound ? sent.commitment : ownCommitment(context, name, salt)
}

/** 32 random bytes, new for each attempt. */
export function newSalt(): Uint8Array {
  return new Uint8Array(randomBytes(SALT_BYTES))
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

/** A draft with a new salt; nothing has been sent for it. */
export async function newDraft(context: RegistryContext, name: Name, signal: AbortSignal): Promise<ClaimDraft> {
  const salt = newSalt()
  const nonce = await stampFor(context, ownCommitment(context, name, salt), signal)
  return { salt, nonce, sentRound: verifiedRound(context), pulseRound: null }
}

/**
 * Whether a pulse chosen now still counts as drawn after this draft's commitment (docs/protocol/rules.md, 10,
 * "Witnessed").
 */
export function isFresh(context: RegistryContext, draft: ClaimDraft): boolean {
  const { profile } = context
  return context.time().now + profile.min_commit + profile.receipt_slack < draft.sentRound + profile.pulse_window
}

/**
 * p, `min_commit` after the latest s, once more than half of the peers asked have seen the commitment in time.
 * Throws SVC-PUB-002 until then, and once the commitment is too old for any pulse; SVC-BCN-001 while the beacon is
 * silent.
 */
export function chooseRound(context: RegistryContext, draft: ClaimDraft, { receipts, of }: CommitOutcome): number {
  verifiedRound(context)
  const committed = { sentRound: draft.sentRound, now: context.time().now }
  const { timely, round } = claimRound(
    receipts.map(({ seenRound }) => seenRound),
    of,
    committed,
    context.profile
  )
  if (round === undefined) {
    const detail = `${timely} of ${of} peers have confirmed the commitment in time; more than half are needed.`
    throw new ServiceError('SVC-PUB-002', detail, { extensions: { stored_by: timely, of }, retryAfter: 10 })
  }
  // The machine may have slept since the answers: a pulse may now come too late after what the peers saw.
  if (!isFresh(context, draft)) {
    throw new ServiceError('SVC-PUB-002', 'The peers confirmed the commitment too long ago; another one is sent.', {
      extensions: { stored_by: timely, of },
      retryAfter: 1
    })
  }
  return round
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

export interface ClaimDraft {
  /** 32 bytes, drawn for this attempt. */
  readonly salt: Uint8Array
  /** The stamp's nonce; empty for renewals, which send no commitment. */
  readonly nonce: Uint8Array
  /** Our round when the commitment was first sent. */
  readonly sentRound: number
  /** p; null until there are enough receipts. */
  readonly pulseRound: number | null
}

/** Fixed before the first squaring. */
export interface ClaimContext {
  readonly salt: Uint8Array
  readonly pulseRound: number
  /** Signature of that pulse, 48 bytes. */
  readonly pulse: Uint8Array
}

const Draft = v.object({ salt: Bytes32, nonce: Bytes, sentRound: Count, pulseRound: v.nullable(Count) })
const Context = v.object({ salt: Bytes32, pulseRound: Count, pulse: Bytes })

export function encodeDraft(draft: ClaimDraft): Uint8Array {
  return encode(draft)
}

export function decodeDraft(bytes: Uint8Array): ClaimDraft {
  return readCbor(Draft, bytes)
}

export function encodeContext(context: ClaimContext): Uint8Array {
  return encode(context)
}

export function decodeContext(bytes: Uint8Array): ClaimContext {
  return readCbor(Context, bytes)
}
