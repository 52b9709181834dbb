import { encodeMultikey } from './did.ts'
import { didUpdateKey } from '../crypto/keys.ts'
import type { UnsignedKidDocument } from './kid.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import { profileHash } from '../profile/profile.ts'

/** Identities that one seed can tell apart. */
export const KEY_INDICES = 64

/**
 * The index of the seed's keys that may sign the next version of a document; undefined where none of the first 64 may.
 */
export function keyIndexOf(
  { updateKeys }: Pick<UnsignedKidDocument, 'updateKeys'>,
  masterSeed: Uint8Array,
  profile: NetworkProfile
): number | undefined {
  const hash = profileHash(profile)
  for (let index = 0; index < KEY_INDICES; index++) {
    if (updateKeys.includes(encodeMultikey(didUpdateKey(masterSeed, hash, index).publicKey))) return index
  }
  return undefined
}
