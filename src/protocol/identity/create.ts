/** A new identity of a seed. Pure. */
import { didAssertionKey, didRecoveryKey, didUpdateKey, publicKeyOf, useOnce } from '../crypto/keys.ts'
import { profileHash, type NetworkProfile } from '../profile/profile.ts'
import { buildGenesis, signIdentityDocument, type IdentityDocument, type Service } from './document.ts'

export interface IdentityParts {
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
