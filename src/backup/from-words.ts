import { buildGenesis } from '../protocol/identity/document.ts'
import { didAssertionKey, didRecoveryKey, didUpdateKey } from '../protocol/crypto/keys.ts'
import { profileHash, type NetworkProfile } from '../protocol/profile/profile.ts'
import { encodeWanted } from '../registry/stored/wanted-ids.ts'
import { keys } from '../store/keys.ts'
import type { StoredRecords } from '../store/snapshot.ts'

/**
 * Identities without services and aliases have a DID that follows from the seed and an index. The daemon looks for
 * indices below this.
 */
const GUESSED_INDICES = 8

/**
 * The records of a directory that has a seed and no names: what its daemon should look for in the network.
 * @param ids names and DIDs, besides the identities that the seed makes by default
 */
export function wantedRecords(
  masterSeed: Uint8Array,
  profile: NetworkProfile,
  { ids, sinceMs }: { readonly ids: readonly string[]; readonly sinceMs: number }
): StoredRecords {
  const wanted = (isGuess: boolean) => (id: string) => [keys.wanted(id), encodeWanted({ sinceMs, isGuess })] as const
  return new Map([...defaultDids(masterSeed, profile).map(wanted(true)), ...ids.map(wanted(false))])
}

/** What `chronym kid create --index N` makes without further options. */
function defaultDids(masterSeed: Uint8Array, profile: NetworkProfile): string[] {
  const hash = profileHash(profile)
  return Array.from({ length: GUESSED_INDICES }, (_, index) => {
    const parts = {
      keys: [didAssertionKey(masterSeed, hash, index).publicKey],
      updateKeys: [didUpdateKey(masterSeed, hash, index).publicKey],
      recoveryKeys: [didRecoveryKey(masterSeed, hash, index).publicKey]
    }
    return buildGenesis(parts, profile).id
  })
}
