import { ProtocolError } from '../../protocol/errors.ts'
import type { Judged } from '../../protocol/judge-documents.ts'
import { decodeReveal } from '../../protocol/reveal.ts'
import type { Verdict } from '../../protocol/valid.ts'
import type { Store } from '../../store/types.ts'
import type { PutOutcome } from '../types.ts'
import { ownRecord, rememberOwnRecord, type OwnRecord } from './own-records.ts'
import type { ClientParts } from './parts.ts'
import { put } from './put.ts'
import { satisfies } from './satisfies.ts'

/**
 * Publishes a record of our own: on disk first, so that it is sent again even if nobody takes it now.
 *
 * What is not valid is not sent, since peers would hold it against us: that comes back as our own refusal. Throws OfflineError, or the signal's reason.
 */
export async function publish(parts: ClientParts, store: Store, record: OwnRecord, signal?: AbortSignal): Promise<PutOutcome> {
  const problem = await problemOf(parts, record)
  signal?.throwIfAborted()
  if (problem !== undefined) return { storedBy: 0, of: 0, refusals: [{ peer: parts.ownPeerId, code: 'invalid', detail: problem }] }
  const former = ownRecord(store, record.kind, record.id)
  if (former === undefined || !satisfies(record, parts.profile)(former)) rememberOwnRecord(store, record)
  return send(parts, record, signal)
}

/** Sends a record that was published before. Throws OfflineError, or the signal's reason. */
export function send(parts: ClientParts, record: OwnRecord, signal?: AbortSignal): Promise<PutOutcome> {
  return put(parts, { ...record, isSatisfiedBy: satisfies(record, parts.profile) }, signal)
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

function verdictOn({ profile, verifier, judge }: ClientParts, { kind, bytes }: OwnRecord): Promise<Verdict | Judged<unknown>> {
  switch (kind) {
    case 'kid':
      return judge.judgeIdentity(bytes, profile, 'own')
    case 'manifest':
      return judge.judgeManifest(bytes, profile, 'own')
    case 'reveal':
      return verifier.validate(decodeReveal(bytes))
  }
}
