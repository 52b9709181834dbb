import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { claimOf } from '../../protocol/claim/claim.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import type { ManifestOutline } from '../../protocol/identity/judge-documents.ts'
import { decodeIdentityEnvelope } from '../../protocol/identity/record.ts'
import { compareManifestOrder, compareManifests, decodeManifestRecord } from '../../protocol/identity/manifest.ts'
import { parseName } from '../../protocol/name/names.ts'
import { compareRecords, type RecordOrder } from '../../protocol/claim/order.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { decodeReveal, linksOf } from '../../protocol/claim/reveal.ts'
import type { OwnRecord } from './own-records.ts'
import type { ClientParts } from './reachable.ts'

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
export function compareToOwn(held: Uint8Array, own: OwnRecord, profile: NetworkProfile): number {
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
