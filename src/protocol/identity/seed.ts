/**
 * An owner's identities: created from the seed, and found again by it.
 */
import { didAssertionKey, didRecoveryKey, didUpdateKey, publicKeyOf, useOnce } from '../crypto/keys.ts'
import { profileHash, type NetworkProfile } from '../profile/profile.ts'
import {
  buildGenesis,
  signIdentityDocument,
  type IdentityDocument,
  type Service,
  parseIdentityDocument,
  type UnsignedIdentityDocument
} from './document.ts'
import { encodeMultikey } from './did.ts'
import { parseCanonicalJson } from '../encoding/jcs.ts'

interface IdentityParts {
  /** Tells identities of one seed apart. */
  index: number
  services: readonly Service[]
  alsoKnownAs: readonly string[]
  /** Public keys, in place of the one from the seed. */
  recoveryKeys?: readonly Uint8Array[] | undefined
}

/** Version 1 of an identity whose keys come from the owner's seed, signed. */
export function createIdentity(
  seed: Uint8Array,
  parts: IdentityParts,
  created: string,
  profile: NetworkProfile
): IdentityDocument {
  const hash = profileHash(profile)
  const { index, services, alsoKnownAs, recoveryKeys = [publicKeyOf(didRecoveryKey(seed, hash, index))] } = parts
  return useOnce(didUpdateKey(seed, hash, index), (updateKey) => {
    const genesis = buildGenesis(
      {
        keys: [publicKeyOf(didAssertionKey(seed, hash, index))],
        updateKeys: [updateKey.publicKey],
        recoveryKeys,
        ...(services.length === 0 ? {} : { services }),
        ...(alsoKnownAs.length === 0 ? {} : { alsoKnownAs })
      },
      profile
    )
    return signIdentityDocument(genesis, updateKey, created, profile)
  })
}

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
