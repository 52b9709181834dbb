/**
 * Judges identity records and manifests: bytes in, plain data out, for use on another thread. Milliseconds each, up to
 * twenty for the longest log.
 */
import { sha256 } from '../encoding/bytes.ts'
import { ProtocolError } from '../errors.ts'
import { decodeIdentityRecord, type IdentityRecordOutline } from './record.ts'
import { decodeManifestRecord, verifyManifest, type Manifest, type ManifestOrder } from './manifest.ts'
import type { NetworkProfile } from '../profile/profile.ts'

export interface ManifestOutline extends ManifestOrder, Pick<Manifest, 'id' | 'validFrom' | 'validUntil'> {}

export type Judged<T> =
  { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Pick<ProtocolError, 'rule' | 'detail'>)

export function judgeIdentity(record: Uint8Array, profile: NetworkProfile): Judged<IdentityRecordOutline> {
  return judged(() => {
    const { log, ...carriers } = decodeIdentityRecord(record, profile)
    return { log: { did: log.did, versions: log.versions.map(({ hash, signer }) => ({ hash, signer })) }, ...carriers }
  })
}

/** Whether a record is a manifest. `judgeSpeaker` checks its proof. */
export function judgeManifest(record: Uint8Array, profile: NetworkProfile): Judged<ManifestOutline> {
  return judged(() => {
    const { id, kid_version, version, validFrom, validUntil } = decodeManifestRecord(record, profile)
    return { id, kid_version, version, validFrom, validUntil, hash: sha256(record) }
  })
}

/** Whether a manifest speaks for an identity: both records verify, and the log has its key. */
export function judgeSpeaker(manifest: Uint8Array, identity: Uint8Array, profile: NetworkProfile): Judged<true> {
  return judged(() => {
    verifyManifest(decodeManifestRecord(manifest, profile), decodeIdentityRecord(identity, profile).log)
    return true as const
  })
}

function judged<T>(judge: () => T): Judged<T> {
  try {
    return { ok: true, value: judge() }
  } catch (error) {
    if (error instanceof ProtocolError) return { ok: false, rule: error.rule, detail: error.detail }
    throw error
  }
}
