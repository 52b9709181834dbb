/** What every next version of an identity begins with: its log, and the keys of an index of a seed. */
import { encodeMultikey } from '../../protocol/identity/did.ts'
import { didAssertionKey, didUpdateKey } from '../../protocol/crypto/keys.ts'
import { parseIdentityDocument, type IdentityChanges } from '../../protocol/identity/document.ts'
import { verifyIdentityLog, type IdentityLog } from '../../protocol/identity/log.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile/profile.ts'
import { inputFailure } from '../failures/failure.ts'

/** The log as a daemon shows it, verified. CLI-INP-001 where it is another identity's; throws IdentityError. */
export function readLog(did: string, versions: readonly unknown[], profile: NetworkProfile): IdentityLog {
  const log = verifyIdentityLog(
    versions.map((version) => parseIdentityDocument(version, profile)),
    profile
  )
  if (log.did === did) return log
  throw inputFailure(`the daemon answered with the log of ${log.did}, not of ${did}: ask another one with --api`)
}

/** One key that signs versions, and one for authentication and assertions. */
export function keysAt(did: string, seed: Uint8Array, index: number, profile: NetworkProfile): IdentityChanges {
  const hash = profileHash(profile)
  const method = `${did}#key-1`
  return {
    updateKeys: [encodeMultikey(didUpdateKey(seed, hash, index).publicKey)],
    verificationMethod: [
      {
        id: method,
        type: 'Multikey',
        controller: did,
        publicKeyMultibase: encodeMultikey(didAssertionKey(seed, hash, index).publicKey)
      }
    ],
    authentication: [method],
    assertionMethod: [method]
  }
}
