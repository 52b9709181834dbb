/**
 * Domains, which separate the uses of hashes and signatures. Stamps: a little work that puts a price on flooding.
 */
import { concatBytes, lp, sha256 } from '../encoding/bytes.ts'

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
  'coded',
  'next-key',
  'change',
  'change-key',
  'change-tweak',
  'change-nonce',
  'bootstrap-list'
] as const

export type DomainWord = (typeof DOMAIN_WORDS)[number]

const PROFILE_HASH_BYTES = 32

/** `lp("chronym/<what>/v3") ‖ profile_hash`: precedes everything that is hashed, signed or derived. */
export function domain(what: DomainWord, profileHash: Uint8Array): Uint8Array {
  if (profileHash.length !== PROFILE_HASH_BYTES)
    throw new RangeError(`a profile hash has ${PROFILE_HASH_BYTES} bytes, not ${profileHash.length}`)
  return concatBytes(lp(`chronym/${what}/v3`), profileHash)
}

export const STAMP_NONCE_BYTES = 8

/** What is hashed before the nonce, `domain(stamp) ‖ subject`: all that the search needs. */
export function stampPrefix(subject: Uint8Array, profileHash: Uint8Array): Uint8Array {
  return concatBytes(domain('stamp', profileHash), subject)
}

/** `H(domain(stamp) ‖ subject ‖ nonce)`. The subject is a commitment C or a document's stamp subject, 32 bytes. */
export function stampDigest(subject: Uint8Array, nonce: Uint8Array, profileHash: Uint8Array): Uint8Array {
  return sha256(stampPrefix(subject, profileHash), nonce)
}

/** Leading zero bits of the digest; a full table of commitments orders by it. */
export function stampWork(subject: Uint8Array, nonce: Uint8Array, profileHash: Uint8Array): number {
  return leadingZeroBits(stampDigest(subject, nonce, profileHash))
}

/** Whether a stamp has the right size and its digest that many leading zero bits. */
export function stampHolds(subject: Uint8Array, nonce: Uint8Array, bits: number, profileHash: Uint8Array): boolean {
  return nonce.length === STAMP_NONCE_BYTES && stampWork(subject, nonce, profileHash) >= bits
}

export function leadingZeroBits(bytes: Uint8Array): number {
  let bits = 0
  for (const byte of bytes) {
    if (byte !== 0) return bits + Math.clz32(byte) - 24
    bits += 8
  }
  return bits
}
