/** Arithmetic of BigInt that the language lacks. Not constant in time: all inputs are public. */

export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(16).length * 4 - LEADING_ZEROS[parseInt(value.toString(16)[0]!, 16)]!
}

/** Leading zeros of a hexadecimal digit. */
const LEADING_ZEROS = [4, 3, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]

/** Between 0 and `modulus`. */
export function mod(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus
  return rest < 0n ? rest + modulus : rest
}

export function floorDiv(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  return value % divisor !== 0n && value < 0n !== divisor < 0n ? quotient - 1n : quotient
}

/** The floor of the square root of a number from 0 (Newton). */
export function isqrt(value: bigint): bigint {
  if (value < 2n) return value
  let root = 1n << BigInt((bitLength(value) + 1) >> 1)
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** `gcd` and `x` with `x a = gcd` modulo `b`, for a from 0 and b above 0. */
export function halfGcd(a: bigint, b: bigint): { gcd: bigint; x: bigint } {
  let [r0, r1, x0, x1] = [a, b, 1n, 0n]
  while (r1 !== 0n) {
    const quotient = r0 / r1
    const rest = r0 - quotient * r1
    r0 = r1
    r1 = rest
    const x = x0 - quotient * x1
    x0 = x1
    x1 = x
  }
  return { gcd: r0, x: x0 }
}

export function fromBytesBe(bytes: Uint8Array): bigint {
  let hex = '0x0'
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return BigInt(hex)
}

export function fromBytesLe(bytes: Uint8Array): bigint {
  return fromBytesBe(Uint8Array.from(bytes).reverse())
}

/** Throws RangeError for what does not fit. */
export function toBytesBe(value: bigint, length: number): Uint8Array {
  const hex = value.toString(16).padStart(length * 2, '0')
  if (hex.length > length * 2) throw new RangeError(`a number does not fit ${length} bytes`)
  return Uint8Array.from({ length }, (_, index) => parseInt(hex.slice(2 * index, 2 * index + 2), 16))
}

export function toBytesLe(value: bigint, length: number): Uint8Array {
  return toBytesBe(value, length).reverse()
}

/** `2^exponent mod modulus`, for a modulus above 1. */
export function powerOfTwoMod(exponent: bigint, modulus: bigint): bigint {
  let power = 1n
  for (const bit of exponent.toString(2)) {
    power = (power * power) % modulus
    if (bit === '1') power = (power << 1n) % modulus
  }
  return power
}
