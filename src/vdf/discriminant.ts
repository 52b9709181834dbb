/** Discriminants: D = -p for a prime p = 7 mod 8. */
import { discriminantOf, type Discriminant } from './form.ts'
import { hashPrime } from './hash-prime.ts'
import { bitLength, fromBytesBe } from './integers.ts'
import { isPrime } from './prime.ts'

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
