import { concatBytes, lp } from '../encoding/bytes.ts'

/** Every word that separates one use of a hash, signature or derived key from another. */
export const DOMAIN_WORDS = [
  'commitment',
  'stamp',
  'receipt',
  'key',
  'kid-key',
  'manifest-key',
  'vdf-seed',
  'reveal',
  'claim',
  'tie',
  'kid-binding',
  'document-stamp',
  'owner-key',
  'did-update-key',
  'did-recovery-key',
  'did-assertion-key',
  'name-list-key',
  'check-code',
  'coded'
] as const

export type DomainWord = (typeof DOMAIN_WORDS)[number]

const PROFILE_HASH_BYTES = 32

/** `lp("chronym/<what>/v3") ‖ profile_hash`: precedes everything that is hashed, signed or derived. */
export function domain(what: DomainWord, profileHash: Uint8Array): Uint8Array {
  if (profileHash.length !== PROFILE_HASH_BYTES)
    throw new RangeError(`a profile hash has ${PROFILE_HASH_BYTES} bytes, not ${profileHash.length}`)
  return concatBytes(lp(`chronym/${what}/v3`), profileHash)
}
