/**
 * The 100-byte encoding of a form: chiavdf's, decoded strictly, as crates/vdf/src/form/codec.rs has it.
 *
 * Integers are little-endian; w is the number of 32-bit words of |D|. Byte 0 holds the flags, byte 1 the bytes of g
 * less one (G); then follow `a / g` (2 w - G bytes), `|t| / g` (w - G), g (G + 1), `b0 = floor(|b| / (a / g))` (G + 1; 0
 * when g = 1), and zeros. t is the cofactor of a partial Euclid on (a, |b|) and g = gcd(a, t).
 */
import { equalBytes } from '../protocol/encoding/bytes.ts'
import { formFrom, generator, identity, type Discriminant, type Form } from './form.ts'
import { bitLength, fromBytesLe, halfGcd, isqrt, mod, toBytesLe } from './integers.ts'

export const FORM_BYTES = 100

const B_NEGATIVE = 1
const T_NEGATIVE = 2
const IDENTITY = 4
export const GENERATOR = 8

/** Ends of a', t', g and b0; undefined unless `extra` (G) is below the number of words. */
function layout(bits: number, extra: number): readonly [number, number, number, number] | undefined {
  const words = Math.ceil(bits / 32)
  if (extra >= words) return undefined
  const a = 2 + 2 * words - extra
  const t = a + words - extra
  const g = t + extra + 1
  return [a, t, g, g + extra + 1]
}

export function encodeForm(form: Form, { bits }: Discriminant): Uint8Array {
  const bytes = new Uint8Array(FORM_BYTES)
  const { a, b } = form
  if (b === 1n && a <= 2n) {
    bytes[0] = a === 1n ? IDENTITY : GENERATOR
    return bytes
  }
  const magnitude = b < 0n ? -b : b
  const signed = cofactor(a, magnitude)
  const t = signed < 0n ? -signed : signed
  const { gcd: g } = halfGcd(a, t)
  const aPart = a / g
  const extra = Math.ceil(bitLength(g) / 8) - 1
  const [aEnd, tEnd, gEnd, b0End] = layout(bits, extra)!
  bytes[0] = (b < 0n ? B_NEGATIVE : 0) | (signed < 0n ? T_NEGATIVE : 0)
  bytes[1] = extra
  bytes.set(toBytesLe(aPart, aEnd - 2), 2)
  bytes.set(toBytesLe(t / g, tEnd - aEnd), aEnd)
  bytes.set(toBytesLe(g, gEnd - tEnd), tEnd)
  bytes.set(toBytesLe(g === 1n ? 0n : magnitude / aPart, b0End - gEnd), gEnd)
  return bytes
}

/** The reduced form that 100 bytes encode; undefined unless encoding it gives the same bytes again. */
export function decodeForm(bytes: Uint8Array, discriminant: Discriminant): Form | undefined {
  if (bytes.length !== FORM_BYTES) return undefined
  const form =
    bytes[0] === IDENTITY
      ? identity(discriminant)
      : bytes[0] === GENERATOR
        ? generator(discriminant)
        : formOf(readFields(discriminant.bits, bytes), discriminant)
  return form !== undefined && equalBytes(encodeForm(form, discriminant), bytes) ? form : undefined
}

/** Whether 100 bytes can encode a form, as far as that is known without its discriminant. */
export function isPlausibleForm(bits: number, bytes: Uint8Array): boolean {
  const isSpecial = (bytes[0] === IDENTITY || bytes[0] === GENERATOR) && isZero(bytes.subarray(1))
  return isSpecial || readFields(bits, bytes) !== undefined
}

interface Fields {
  readonly aPart: bigint
  readonly tPart: bigint
  readonly g: bigint
  readonly b0: bigint
  readonly isTNegative: boolean
  readonly isBNegative: boolean
}

/** The fields, if flags, padding and sizes are right for a discriminant of that size. */
function readFields(bits: number, bytes: Uint8Array): Fields | undefined {
  const flags = bytes[0]!
  const ends = layout(bits, bytes[1]!)
  if (ends === undefined || (flags & ~(B_NEGATIVE | T_NEGATIVE)) !== 0 || !isZero(bytes.subarray(ends[3])))
    return undefined
  const [aEnd, tEnd, gEnd, b0End] = ends
  const part = (from: number, to: number) => fromBytesLe(bytes.subarray(from, to))
  const [aPart, tPart, g, b0] = [part(2, aEnd), part(aEnd, tEnd), part(tEnd, gEnd), part(gEnd, b0End)]
  // t = 0 would say a = b, which of all reduced forms only the identity has: it is encoded by its flag
  if (tPart === 0n || tPart >= aPart || g === 0n) return undefined
  // a = a' g <= sqrt(|D| / 3), and its length is that of its factors or one less
  if (bitLength(aPart) + bitLength(g) > bits / 2 + 1) return undefined
  return { aPart, tPart, g, b0, isTNegative: (flags & T_NEGATIVE) !== 0, isBNegative: (flags & B_NEGATIVE) !== 0 }
}

/** The reduced form that the fields encode, if any; the choice of t and b0 is left to the caller to check. */
function formOf(fields: Fields | undefined, discriminant: Discriminant): Form | undefined {
  if (fields === undefined) return undefined
  const { aPart, tPart, g, b0, isTNegative, isBNegative } = fields
  const t = isTNegative ? aPart - tPart : tPart
  const { gcd, x } = halfGcd(t, aPart)
  if (gcd !== 1n) return undefined
  // s = t b mod a' is small: s^2 = t^2 b^2 = t^2 D modulo a', and below a', so a perfect square
  const squared = mod(t * t * -discriminant.magnitude, aPart)
  const root = isqrt(squared)
  if (root * root !== squared) return undefined
  const b = mod(root * x, aPart) + b0 * aPart
  return formFrom(aPart * g, isBNegative ? -b : b, discriminant)
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}

/** Leading bits that a run of steps looks at. */
const TOP_BITS = 63

/** t with |t| about sqrt(a) and `t b mod a` small, for `0 < b <= a`. */
export function cofactor(a: bigint, b: bigint): bigint {
  const limit = isqrt(a)
  let [r2, r1, co2, co1] = [a, b, 0n, -1n]
  while (r1 > limit) {
    const shift = BigInt(Math.max(0, Math.max(bitLength(r2), bitLength(r1)) - TOP_BITS))
    const steps = lehmerSteps(r2 >> shift, r1 >> shift, limit >> shift)
    if (steps === undefined) {
      const quotient = r2 / r1
      ;[r2, r1] = [r1, r2 - quotient * r1]
      ;[co2, co1] = [co1, co2 - quotient * co1]
      continue
    }
    const { a1, a2, b1, b2 } = steps
    ;[r2, r1] = [b2 * r2 + a2 * r1, a1 * r1 + b1 * r2]
    ;[co2, co1] = [b2 * co2 + a2 * co1, a1 * co1 + b1 * co2]
    if (r1 < 0n) [r1, co1] = [-r1, -co1]
    if (r2 < 0n) [r2, co2] = [-r2, -co2]
  }
  return -co1
}

/** Euclid's steps on the leading bits, as long as the quotients are certain (Collins); undefined if none is. */
function lehmerSteps(top2: bigint, top1: bigint, limit: bigint) {
  let [x2, x1] = [top2, top1]
  let [a1, a2, b1, b2] = [1n, 0n, 0n, 1n]
  let steps = 0
  for (; x1 !== 0n && x1 > limit; steps++) {
    const quotient = x2 / x1
    const t1 = x2 - quotient * x1
    const t2 = a2 - quotient * a1
    const t3 = b2 - quotient * b1
    const uncertain = steps % 2 === 1 ? t1 < -t3 || x1 - t1 < t2 - a1 : t1 < -t2 || x1 - t1 < t3 - b1
    if (uncertain) break
    ;[x2, x1] = [x1, t1]
    ;[a2, a1] = [a1, t2]
    ;[b2, b1] = [b1, t3]
  }
  return steps === 0 ? undefined : { a1, a2, b1, b2 }
}
