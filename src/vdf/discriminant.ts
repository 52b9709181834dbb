/** Discriminants: D = -p for a prime p = 7 mod 8. */
import { discriminantOf, type Discriminant } from './form.ts'
import { bitLength, fromBytesBe } from './integers.ts'
import { isPrime } from './prime.ts'
import { concatBytes, sha256 } from '../protocol/encoding/bytes.ts'

const MAX_BITS = 1024
const SEED_BYTES = { min: 2, max: 64 }

/** Throws RangeError for a size that no discriminant here has. */
export function checkSize(bits: number): void {
  if (!Number.isInteger(bits) || bits < 8 || bits > MAX_BITS || bits % 8 !== 0)
    throw new RangeError(`a discriminant has a multiple of 8 bits, from 8 to ${MAX_BITS}, not ${bits}`)
}

/**
 * The discriminant of `bits` bits from a seed of 2 to 64 bytes, as chiavdf derives it. Takes a tenth of a second for
 * 1024 bits. Throws RangeError for other seeds and sizes.
 */
export function discriminantFromSeed(seed: Uint8Array, bits: number): Discriminant {
  if (seed.length < SEED_BYTES.min || seed.length > SEED_BYTES.max)
    throw new RangeError(`a seed has ${SEED_BYTES.min} to ${SEED_BYTES.max} bytes, not ${seed.length}`)
  checkSize(bits)
  return discriminantOf(hashPrime(seed, bits, [0, 1, 2, bits - 1]), bits)
}

/** Reads |D|, big-endian without leading zeros. Throws RangeError unless its size, residue and primality are right. */
export function discriminantFromBytes(bytes: Uint8Array): Discriminant {
  const bits = bytes.length * 8
  checkSize(bits)
  const magnitude = fromBytesBe(bytes)
  if (bitLength(magnitude) !== bits) throw new RangeError('a discriminant has no leading zeros')
  if ((magnitude & 7n) !== 7n) throw new RangeError('a discriminant is 1 modulo 8')
  if (!isPrime(magnitude)) throw new RangeError('a discriminant is the negative of a prime')
  return discriminantOf(magnitude, bits)
}

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
function hashPrime(seed: Uint8Array, size: number, setBits: readonly number[]): bigint {
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
