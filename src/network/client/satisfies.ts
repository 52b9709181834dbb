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
 * Tells whether a record that a peer holds is as new as one of ours, of the same claim or owner: then nothing is
 * missing there. Manifests are read on a thread: one of 21,000 empty arrays takes 6 ms, and twenty peers may each show
 * another.
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
 * Order of a record and one of ours: positive when it is the newer one, negative as well when it is another claim's or
 * owner's or cannot be read. Two of the largest manifests take 2 ms: what peers show is for {@link satisfies}.
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
    case 'reveal': {
      const [ours, theirs] = [orderOf(bytes, profile), orderOf(held, profile)]
      return equalBytes(ours.id, theirs.id) ? compareRecords(theirs, ours) : -1
    }
    case 'kid': {
      // Whether what a peer shows verifies is for those to find out who rely on it: twenty logs would hold our event
      // loop up for as many times 20 ms.
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
