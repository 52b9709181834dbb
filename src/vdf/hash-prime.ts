/** Hashing to a prime: the discriminant from a seed, and the Fiat-Shamir prime B from a segment's ends. */
import { concatBytes, sha256 } from '../protocol/encoding/bytes.ts'
import { fromBytesBe } from './integers.ts'
import { isPrime } from './prime.ts'

/** Bytes of the Fiat-Shamir prime (chiavdf: 264 bits). */
export const B_BYTES = 33
const B_BITS = 8 * B_BYTES

/** chiavdf's trial division takes its own primes for composites: of numbers below 64 bits these are never found. */
const LARGEST_MISSED = 233n
const MISSED_BELOW_BITS = 64

/**
 * The first prime of `size` bits that a seed leads to. The seed is a big-endian counter of fixed width, which wraps. A
 * candidate concatenates SHA-256 of the counter, incremented before each hash, cut to `size / 8` bytes and read
 * big-endian; then the bits of `setBits` are set.
 */
export function hashPrime(seed: Uint8Array, size: number, setBits: readonly number[]): bigint {
  const counter = Uint8Array.from(seed)
  const mask = setBits.reduce((bits, bit) => bits | (1n << BigInt(bit)), 0n)
  const length = size / 8
  for (;;) {
    const hashes: Uint8Array[] = []
    for (let have = 0; have < length; have += 32) hashes.push(nextHash(counter))
    const candidate = fromBytesBe(concatBytes(...hashes).subarray(0, length)) | mask
    if (size < MISSED_BELOW_BITS && candidate <= LARGEST_MISSED) continue
    if (isPrime(candidate)) return candidate
  }
}

function nextHash(counter: Uint8Array): Uint8Array {
  for (let index = counter.length - 1; index >= 0; index--) {
    // a Uint8Array wraps
    counter[index]! += 1
    if (counter[index] !== 0) break
  }
  return sha256(counter)
}

/** The Fiat-Shamir prime B of a segment, 264 bits, from the encodings of its first and last form, 100 bytes each. */
export function challenge(x: Uint8Array, y: Uint8Array): bigint {
  return hashPrime(concatBytes(x, y), B_BITS, [0, B_BITS - 1])
}
