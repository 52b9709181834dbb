import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import type { Judged } from '../../protocol/identity/judge-documents.ts'
import { decodeReveal } from '../../protocol/claim/reveal.ts'
import type { Verdict } from '../../protocol/claim/valid.ts'
import type { PutOutcome } from '../types.ts'
import {
  codedRecord,
  isStillAccepted,
  ownRecord,
  rememberOwnRecord,
  type OwnRecord,
  type OwnRecordParts
} from './own-records.ts'
import type { ClientParts } from './reachable.ts'
import { put } from './put.ts'
import { compareToOwn, satisfies } from './satisfies.ts'

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
