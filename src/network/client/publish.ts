import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import type { Judged } from '../../protocol/identity/judge-documents.ts'
import { decodeReveal } from '../../protocol/claim/reveal.ts'
import type { Verdict } from '../../protocol/claim/valid.ts'
import type { PutOutcome } from '../types.ts'
import { isStanding, ownRecord, rememberOwnRecord, type OwnRecord, type OwnRecordParts } from './own-records.ts'
import type { ClientParts } from './reachable.ts'
import { put } from './put.ts'
import { compareToOwn, satisfies } from './satisfies.ts'

/**
 * Publishes a record of our own: on disk first, so that it is sent again even if nobody takes it now.
 *
 * What is not valid is not sent, since peers would hold it against us, nor a manifest older than one that was published
 * here: that comes back as our own refusal. Throws OfflineError, or the signal's reason.
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
    isStanding({ ...record, bytes: former }, { store, clock, profile: parts.profile }) &&
    compareToOwn(former, record, parts.profile) > 0
  // The newer one is sent again by itself, and would soon take its place.
  if (isOlder && record.kind === 'manifest') return refusedHere(parts, 'stale', 'a newer one was published here')
  if (!isOlder && (former === undefined || !equalBytes(former, record.bytes))) rememberOwnRecord(store, record)
  if (record.kind !== 'reveal') return send(parts, record, signal)
  // A newer record of our key that this node did not make is another node's with our seed: what was published here is
  // not what they show.
  const isOurs = (held: Uint8Array): boolean =>
    equalBytes(held, ownRecord(store, record.kind, record.id) ?? record.bytes)
  return put(parts, { ...record, isSatisfiedBy: (held) => Promise.resolve(isOurs(held)) }, signal)
}

/** Sends a record that was published before. Throws OfflineError, or the signal's reason. */
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
      return verifier.validate(decodeReveal(bytes))
  }
}
