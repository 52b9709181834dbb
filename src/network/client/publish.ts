import { ProtocolError } from '../../protocol/errors.ts'
import { decodeKidRecord } from '../../protocol/kid-record.ts'
import { decodeManifestRecord } from '../../protocol/manifest.ts'
import { decodeReveal } from '../../protocol/reveal.ts'
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

async function problemOf({ profile, verifier }: ClientParts, { kind, bytes }: OwnRecord): Promise<string | undefined> {
  try {
    switch (kind) {
      case 'kid':
        decodeKidRecord(bytes, profile)
        return undefined
      case 'manifest':
        decodeManifestRecord(bytes, profile)
        return undefined
      case 'reveal': {
        const verdict = await verifier.validate(decodeReveal(bytes))
        return verdict.ok ? undefined : `${verdict.rule}: ${verdict.detail}`
      }
    }
  } catch (error) {
    if (error instanceof ProtocolError) return error.message
    throw error
  }
}
