import { equalBytes } from '../../protocol/bytes.ts'
import { claimOf } from '../../protocol/claim.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { decodeKidEnvelope } from '../../protocol/kid-record.ts'
import { compareManifests, decodeManifestRecord } from '../../protocol/manifest.ts'
import { parseName } from '../../protocol/names.ts'
import { compareRecords, type RecordOrder } from '../../protocol/order.ts'
import type { NetworkProfile } from '../../protocol/profile.ts'
import { decodeReveal, linksOf } from '../../protocol/reveal.ts'
import type { OwnRecord } from './own-records.ts'

/** Tells whether a record that a peer holds is as new as one of ours, of the same owner: then nothing is missing there. */
export function satisfies(own: OwnRecord, profile: NetworkProfile): (held: Uint8Array) => boolean {
  return (held) => {
    try {
      return isAsNew(own, held, profile)
    } catch (error) {
      if (error instanceof ProtocolError) return false
      throw error
    }
  }
}

function isAsNew({ kind, bytes }: OwnRecord, held: Uint8Array, profile: NetworkProfile): boolean {
  switch (kind) {
    case 'reveal': {
      const [ours, theirs] = [orderOf(bytes, profile), orderOf(held, profile)]
      return equalBytes(ours.pubkey, theirs.pubkey) && compareRecords(theirs, ours) >= 0
    }
    case 'kid': {
      // Whether what a peer shows verifies is for those to find out who rely on it: twenty logs would hold our event loop up for as many times 20 ms.
      const [ours, theirs] = [decodeKidEnvelope(bytes, profile).versions, decodeKidEnvelope(held, profile).versions]
      return ours.every((version, index) => theirs[index] !== undefined && equalBytes(version, theirs[index]))
    }
    case 'manifest':
      return compareManifests(decodeManifestRecord(held, profile), decodeManifestRecord(bytes, profile)) >= 0
  }
}

function orderOf(bytes: Uint8Array, profile: NetworkProfile): RecordOrder & { pubkey: Uint8Array } {
  const reveal = decodeReveal(bytes)
  return claimOf(reveal, parseName(reveal.name, profile), linksOf(reveal), profile)
}
