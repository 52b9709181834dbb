import { encodeMultikey } from './did.ts'
import { parseCanonicalJson } from '../encoding/jcs.ts'
import { didUpdateKey, publicKeyOf } from '../crypto/keys.ts'
import { parseIdentityDocument, type UnsignedIdentityDocument } from './document.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import { profileHash } from '../profile/profile.ts'

/** Identities that one seed can distinguish. */
export const KEY_INDICES = 64

/** The index of the seed's key that may sign a document's next version; undefined if none of the first 64 may. */
export function keyIndexOf(
  { updateKeys }: Pick<UnsignedIdentityDocument, 'updateKeys'>,
  masterSeed: Uint8Array,
  profile: NetworkProfile
): number | undefined {
  const hash = profileHash(profile)
  for (let index = 0; index < KEY_INDICES; index++) {
    if (updateKeys.includes(encodeMultikey(publicKeyOf(didUpdateKey(masterSeed, hash, index))))) return index
  }
  return undefined
}

/**
 * The index of the seed's keys in an identity, by the RFC 8785 bytes of its versions. Tries the newest, which a
 * recovery may have given to this seed, then the first, since a thief may have replaced later ones. Throws
 * EncodingError or IdentityError for other bytes.
 */
export function keyIndexOfLog(
  versions: readonly Uint8Array[],
  masterSeed: Uint8Array,
  profile: NetworkProfile
): number | undefined {
  const indexIn = (version: Uint8Array): number | undefined =>
    keyIndexOf(
      parseIdentityDocument(parseCanonicalJson(version, { maxBytes: profile.limits.kid_bytes }), profile),
      masterSeed,
      profile
    )
  return indexIn(versions.at(-1)!) ?? indexIn(versions[0]!)
}
