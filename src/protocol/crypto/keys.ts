/**
 * All keys of one owner, derived from one seed of 32 bytes. Each use has its own tag and each name its own key. Names
 * of one owner cannot be linked, and a name has a different key in each network.
 */
import { hkdfSync } from 'node:crypto'
import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { concatBytes, lp, u64be } from '../encoding/bytes.ts'
import { type DomainWord, domain } from './domain.ts'
import type { KeyPair } from './ed25519.ts'
import { keyPairFromSeed } from './ed25519.ts'
import { KeyError } from '../errors.ts'
import type { Name } from '../name/names.ts'

/** Length of the master seed: the entropy of 24 BIP-39 words. */
export const MASTER_SEED_BYTES = 32

const NO_SALT = new Uint8Array(0)

export function seedToWords(seed: Uint8Array): string {
  checkSeed(seed)
  return entropyToMnemonic(seed, wordlist)
}

/**
 * The master seed of 24 English BIP-39 words: their entropy itself, no PBKDF2. Ignores case and extra white space.
 * Throws KeyError.
 *
 * @param what what the words are for, in the message
 */
export function wordsToSeed(words: string, what = 'a master seed'): Uint8Array {
  const normalised = words.normalize('NFKD').toLowerCase().match(/\S+/g) ?? []
  if (normalised.length !== 24) throw new KeyError(`${what} has 24 words, not ${normalised.length}`)
  const unknown = normalised.flatMap((word, index) => (wordlist.includes(word) ? [] : [index + 1]))
  if (unknown.length > 0)
    throw new KeyError(
      `${unknown.length === 1 ? 'word' : 'words'} ${unknown.join(', ')} of the 24 ` +
        `${unknown.length === 1 ? 'is' : 'are'} not in the BIP-39 English list`
    )
  try {
    return new Uint8Array(mnemonicToEntropy(normalised.join(' '), wordlist))
  } catch {
    // The library's message may quote the words, which are secret.
    throw new KeyError(
      'the checksum of these 24 words does not match: one of them is another, or two have changed places'
    )
  }
}

/** @param index the number of changes of the claim's keys that led to it: each one brings another key */
export function nameKey(seed: Uint8Array, profileHash: Uint8Array, name: Name, index = 0): KeyPair {
  return derive(seed, 'owner-key', profileHash, lp(name), ...(index === 0 ? [] : [u64be(index)]))
}

/** The key that signs versions of an identity document; `index` grows with each rotation. */
export function didUpdateKey(seed: Uint8Array, profileHash: Uint8Array, index = 0): KeyPair {
  return derive(seed, 'did-update-key', profileHash, u64be(index))
}

/** The key that recovers an identity after loss or theft of its update key. */
export function didRecoveryKey(seed: Uint8Array, profileHash: Uint8Array, index = 0): KeyPair {
  return derive(seed, 'did-recovery-key', profileHash, u64be(index))
}

/** The key that an identity document lists for authentication and assertions, such as manifests. */
export function didAssertionKey(seed: Uint8Array, profileHash: Uint8Array, index = 0): KeyPair {
  return derive(seed, 'did-assertion-key', profileHash, u64be(index))
}

/** Opens the list of names that the zone of `name` may carry: 32 bytes, of no use for any other name. */
export function nameListKey(seed: Uint8Array, profileHash: Uint8Array, name: Name): Uint8Array {
  return deriveBytes(seed, 'name-list-key', profileHash, lp(name))
}

/** What `use` makes of a key that is overwritten then: derived keys are worth as much as their seed. */
export function useOnce<T>(key: KeyPair, use: (key: KeyPair) => T): T {
  try {
    return use(key)
  } finally {
    key.secretKey.fill(0)
  }
}

/** The public half alone; the key is overwritten. */
export function publicKeyOf(key: KeyPair): Uint8Array {
  return useOnce(key, ({ publicKey }) => publicKey)
}

function derive(...parts: Parameters<typeof deriveBytes>): KeyPair {
  const seed = deriveBytes(...parts)
  try {
    return keyPairFromSeed(seed)
  } finally {
    seed.fill(0)
  }
}

/** HKDF-SHA-256 (RFC 5869) without salt; info = lp(tag) ‖ profile_hash ‖ what separates keys of one tag. */
function deriveBytes(
  seed: Uint8Array,
  tag: DomainWord,
  profileHash: Uint8Array,
  ...rest: readonly Uint8Array[]
): Uint8Array {
  checkSeed(seed)
  const info = concatBytes(domain(tag, profileHash), ...rest)
  return new Uint8Array(hkdfSync('sha256', seed, NO_SALT, info, 32))
}

function checkSeed(seed: Uint8Array): void {
  if (seed.length !== MASTER_SEED_BYTES)
    throw new KeyError(`a master seed has ${MASTER_SEED_BYTES} bytes, not ${seed.length}`)
}
