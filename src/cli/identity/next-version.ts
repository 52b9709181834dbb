/** Versions that the seed's update key signs: new keys, and the end of an identity. */
import { encodeMultikey } from '../../protocol/identity/did.ts'
import { didUpdateKey } from '../../protocol/crypto/keys.ts'
import { KEY_INDICES, keyIndexOf } from '../../protocol/identity/key-index.ts'
import {
  buildNextVersion,
  signIdentityDocument,
  type IdentityChanges,
  type IdentityDocument
} from '../../protocol/identity/document.ts'
import { verifyVersion, type IdentityLog } from '../../protocol/identity/log.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile/profile.ts'
import { usageFailure } from '../failures/failure.ts'
import { keysAt } from './log.ts'

/**
 * The next version with the keys of another index of the seed, for the old update key to sign. Services, aliases and
 * recovery keys stay. CLI-USE-001 where the index was used before [a key that leaked would sign again].
 */
export function rotatedKeys(log: IdentityLog, seed: Uint8Array, wanted: number | undefined, profile: NetworkProfile) {
  const hash = profileHash(profile)
  const updateKeyAt = (index: number): string => encodeMultikey(didUpdateKey(seed, hash, index).publicKey)
  const used = new Set(log.versions.flatMap(({ document }) => document.updateKeys))
  const index =
    wanted ?? Array.from({ length: KEY_INDICES }, (_, each) => each).find((each) => !used.has(updateKeyAt(each)))
  if (index === undefined || used.has(updateKeyAt(index))) {
    throw usageFailure(
      index === undefined
        ? `all ${KEY_INDICES} keys of the seed were in ${log.did} before`
        : `the seed's key of index ${index} was in ${log.did} before: who has it would sign again`,
      'Leave out --index, or give one that was never used.'
    )
  }
  return { index, changes: keysAt(log.did, seed, index, profile) }
}

/** The tombstone: no key and no service is left for a reader that overlooks `deactivated`. */
export const TOMBSTONE: IdentityChanges = {
  deactivated: true,
  verificationMethod: [],
  authentication: [],
  assertionMethod: [],
  service: [],
  alsoKnownAs: []
}

/**
 * The next version, signed by the seed's update key. CLI-USE-001 where the seed has none, the identity has ended or its
 * log is full.
 *
 * @param created an instant in UTC, such as `new Date(ms).toISOString()`
 */
export function signNextVersion(
  log: IdentityLog,
  changes: IdentityChanges,
  seed: Uint8Array,
  created: string,
  profile: NetworkProfile
): IdentityDocument {
  const parent = log.versions.at(-1)!
  const { document } = parent
  if (document.deactivated === true)
    throw usageFailure(
      `${log.did} is deactivated since version ${document.version}`,
      'Only a recovery key can revive it: chronym kid recover DID.'
    )
  const index = keyIndexOf(document, seed, profile)
  if (index === undefined)
    throw usageFailure(
      `the seed has no update key of ${log.did}, version ${document.version}`,
      'Name the seed of its owner with --seed-file, or take the identity back: chronym kid recover DID.'
    )
  if (document.version >= profile.limits.kid_versions)
    throw usageFailure(`${log.did} has ${document.version} versions, and a log holds no more`)
  const key = didUpdateKey(seed, profileHash(profile), index)
  const signed = signIdentityDocument(buildNextVersion(document, changes), key, created, profile)
  verifyVersion(signed, parent, profile)
  return signed
}
