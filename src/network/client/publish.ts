import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import type { Judged, ManifestOutline } from '../../protocol/identity/judge-documents.ts'
import { decodeReveal, linksOf } from '../../protocol/claim/reveal.ts'
import type { Verdict } from '../../protocol/claim/valid.ts'
import type { PutOutcome } from '../types.ts'
import {
  type OwnRecord,
  type OwnRecordParts,
  codedRecord,
  isStillAccepted,
  ownRecord,
  rememberOwnRecord
} from './own-records.ts'
import type { ClientParts } from './holders.ts'
import { put } from './put.ts'
import { claimOf, type RecordOrder, compareRecords } from '../../protocol/claim/claim.ts'
import { decodeIdentityEnvelope } from '../../protocol/identity/record.ts'
import { compareManifestOrder, compareManifests, decodeManifestRecord } from '../../protocol/identity/manifest.ts'
import { parseName } from '../../protocol/name/names.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'

/**
 * Publishes one of this daemon's records; a Reveal at the place of its check code too. The outcome is that of its name.
 * Stores it first, so that republishing works even if no peer takes it now.
 * Invalid records are not sent, since peers would penalise us. A manifest older than the published one is refused here.
 * Throws OfflineError, or the signal's reason.
 */
export async function publish(
  parts: ClientParts,
  { store, clock }: Pick<OwnRecordParts, 'store' | 'clock'>,
  record: OwnRecord,
  signal?: AbortSignal
): Promise<PutOutcome> {
  const problem = await problemOf(parts, record)
  signal?.throwIfAborted()
  if (problem !== undefined) return refusedHere(parts, 'invalid', problem)
  const former = ownRecord(store, record.kind, record.id)
  const isOlder =
    former !== undefined &&
    isStillAccepted({ ...record, bytes: former }, { store, clock, profile: parts.profile }) &&
    compareToOwn(former, record, parts.profile) > 0
  // Republishing would soon replace it with the newer one.
  if (isOlder && record.kind === 'manifest') return refusedHere(parts, 'stale', 'a newer one was published here')
  if (!isOlder && (former === undefined || !equalBytes(former, record.bytes))) rememberOwnRecord(store, record)
  if (record.kind !== 'reveal') return send(parts, record, signal)
  // A newer record of our key that this node did not make comes from another node with our seed.
  const isOurs = (held: Uint8Array): boolean =>
    equalBytes(held, ownRecord(store, record.kind, record.id) ?? record.bytes)
  const sent = (each: OwnRecord): Promise<PutOutcome> =>
    put(parts, { ...each, isSatisfiedBy: (held) => Promise.resolve(isOurs(held)) }, signal)
  // Where the name is refused, its claim is still found by its code.
  const [outcome] = await Promise.all([sent(record), sent(codedRecord(record, parts.profile))])
  return outcome
}

/** Sends an already published record. Throws OfflineError, or the signal's reason. */
export function send(parts: ClientParts, record: OwnRecord, signal?: AbortSignal): Promise<PutOutcome> {
  return put(parts, { ...record, isSatisfiedBy: satisfies(record, parts) }, signal)
}

function refusedHere({ ownPeerId }: ClientParts, code: 'invalid' | 'stale', detail: string): PutOutcome {
  return { storedBy: 0, of: 0, refusals: [{ peer: ownPeerId, code, detail }] }
}

async function problemOf(parts: ClientParts, record: OwnRecord): Promise<string | undefined> {
  try {
    const verdict = await verdictOn(parts, record)
    return verdict.ok ? undefined : `${verdict.rule}: ${verdict.detail}`
  } catch (error) {
    if (error instanceof ProtocolError) return error.message
    throw error
  }
}

function verdictOn(
  { profile, verifier, judge }: ClientParts,
  { kind, bytes }: OwnRecord
): Promise<Verdict | Judged<unknown>> {
  switch (kind) {
    case 'kid':
      return judge.judgeIdentity(bytes, profile, 'own')
    case 'manifest':
      return judge.judgeManifest(bytes, profile, 'own')
    case 'reveal':
    case 'coded':
      return verifier.validate(decodeReveal(bytes))
  }
}

/**
 * Tells whether a peer's record is as new as ours, for the same claim or owner. Manifests are read on a thread: one of
 * 21,000 empty arrays takes 6 ms, and twenty peers may each show a different one.
 */
export function satisfies(
  own: OwnRecord,
  { profile, judge }: Pick<ClientParts, 'profile' | 'judge'>
): (held: Uint8Array) => Promise<boolean> {
  if (own.kind !== 'manifest') return (held) => Promise.resolve(compareToOwn(held, own, profile) >= 0)
  const outlineOf = async (record: Uint8Array): Promise<ManifestOutline | undefined> => {
    const judged = await judge.judgeManifest(record, profile, 'own')
    return judged.ok ? judged.value : undefined
  }
  let ours: Promise<ManifestOutline | undefined> | undefined
  return async (held) => {
    const [one, other] = await Promise.all([(ours ??= outlineOf(own.bytes)), outlineOf(held)])
    return one !== undefined && other?.id === one.id && compareManifestOrder(other, one) >= 0
  }
}

/**
 * Positive when the peer's record is newer; negative when older, unreadable, or of another claim or owner. Two of the
 * largest manifests take 2 ms: use {@link satisfies} for what peers show.
 */
function compareToOwn(held: Uint8Array, own: OwnRecord, profile: NetworkProfile): number {
  try {
    return compared(own, held, profile)
  } catch (error) {
    if (error instanceof ProtocolError) return -1
    throw error
  }
}

function compared({ kind, bytes }: OwnRecord, held: Uint8Array, profile: NetworkProfile): number {
  switch (kind) {
    case 'reveal':
    case 'coded': {
      const [ours, theirs] = [orderOf(bytes, profile), orderOf(held, profile)]
      return equalBytes(ours.id, theirs.id) ? compareRecords(theirs, ours) : -1
    }
    case 'kid': {
      // Unverified: twenty logs would block the event loop for 20 ms each. Those that rely on the record verify it.
      const [ours, theirs] = [
        decodeIdentityEnvelope(bytes, profile).versions,
        decodeIdentityEnvelope(held, profile).versions
      ]
      const isOnTop = ours.every((version, index) => theirs[index] !== undefined && equalBytes(version, theirs[index]))
      return isOnTop ? theirs.length - ours.length : -1
    }
    case 'manifest':
      return compareManifests(decodeManifestRecord(held, profile), decodeManifestRecord(bytes, profile))
  }
}

function orderOf(bytes: Uint8Array, profile: NetworkProfile): RecordOrder & { id: Uint8Array } {
  const reveal = decodeReveal(bytes)
  return claimOf(reveal, parseName(reveal.name, profile), linksOf(reveal), profile)
}
