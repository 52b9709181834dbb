/** Elements of the class group: reduced binary quadratic forms of a negative prime discriminant. */
import { floorDiv, isqrt, halfGcd, mod } from './integers.ts'

/** A form (a, b, c) of discriminant `b^2 - 4 a c`. Reduced: `-a < b <= a <= c`, and `b >= 0` if `a = c`. */
export interface Form {
  readonly a: bigint
  readonly b: bigint
  readonly c: bigint
}

/** A discriminant D = -p for a prime p = 7 mod 8: with it the class group is given. */
export interface Discriminant {
  /** |D| */
  readonly magnitude: bigint
  /** Bits of |D|, a multiple of 8 from 8 to 1024. */
  readonly bits: number
  /** The fourth root of |D|, where NUCOMP and NUDUPL stop Euclid's algorithm. */
  readonly root: bigint
}

export function discriminantOf(magnitude: bigint, bits: number): Discriminant {
  return { magnitude, bits, root: isqrt(isqrt(magnitude)) }
}

/** The neutral element, (1, 1, (1 - D) / 4). */
export function identity({ magnitude }: Discriminant): Form {
  return { a: 1n, b: 1n, c: (magnitude + 1n) >> 2n }
}

/** The element that evaluations begin with, (2, 1, (1 - D) / 8). */
export function generator({ magnitude }: Discriminant): Form {
  return { a: 2n, b: 1n, c: (magnitude + 1n) >> 3n }
}

/** The inverse of a class. Its form is reduced as it is where `b = a` or `a = c`: those classes are their own. */
export function inverse({ a, b, c }: Form): Form {
  return a === b || a === c ? { a, b, c } : { a, b: -b, c }
}

export function equalForms(left: Form, right: Form): boolean {
  return left.a === right.a && left.b === right.b
}

/** The reduced form with this `a` and `b`; undefined where there is none of this discriminant. */
export function formFrom(a: bigint, b: bigint, { magnitude }: Discriminant): Form | undefined {
  if (a <= 0n || b > a || b <= -a) return undefined
  const sum = b * b + magnitude
  if (sum % (4n * a) !== 0n) return undefined
  const c = sum / (4n * a)
  return a < c || (a === c && b >= 0n) ? { a, b, c } : undefined
}

/** The reduced form of a positive definite form's class (Cohen, algorithm 5.4.2). */
export function reduce(form: Form): Form {
  let { a, b, c } = form
  for (;;) {
    if (b > a || b <= -a) {
      // to -a < b' <= a: b' = b - 2 a q
      const quotient = floorDiv(a + b - 1n, 2n * a)
      const next = b - 2n * a * quotient
      c -= (quotient * (b + next)) >> 1n
      b = next
    }
    if (a <= c) break
    ;[a, b, c] = [c, -b, a]
  }
  return a === c && b < 0n ? { a, b: -b, c } : { a, b, c }
}

/** Euclid's algorithm on (a, b) until the remainder is at most `limit` (Cohen, PARTEUCL): `d v2 - v v3 = a`. */
function partialEuclid(a: bigint, b: bigint, limit: bigint) {
  let [v, d, v2, v3, z] = [0n, a, 1n, b, 0]
  while (v3 > limit || v3 < -limit) {
    const quotient = d / v3
    const rest = d - quotient * v3
    const cofactor = v - quotient * v2
    v = v2
    d = v3
    v2 = cofactor
    v3 = rest
    z++
  }
  // each step changes the sign of d v2 - v v3
  return z % 2 === 1 ? { v, d, v2: -v2, v3: -v3, isUnchanged: false } : { v, d, v2, v3, isUnchanged: z === 0 }
}

/** The residue of least magnitude. */
function nearest(value: bigint, modulus: bigint): bigint {
  const rest = mod(value, modulus)
  return rest << 1n > modulus ? rest - modulus : rest
}

/** The square of a class. */
export function square(form: Form, { root }: Discriminant): Form {
  const { a, b, c } = form
  // gcd(a, b) = 1: it divides the prime |D|, and a reduced form's a is below it
  const { x: u } = halfGcd(mod(b, a), a)
  const { v, d, v2, v3, isUnchanged } = partialEuclid(a, nearest(-c * u, a), root)
  const sum = d + v3
  const [d2, v32] = [d * d, v3 * v3]
  if (isUnchanged) {
    const g = (b * v3 + c) / d
    return reduce({ a: d2, b: b + sum * sum - d2 - v32, c: v32 + g })
  }
  const e = (c * v + b * d) / a
  const ev2 = e * v2
  const g = (ev2 - b) / v
  return reduce({ a: d2 + e * v, b: ev2 + v * g + sum * sum - d2 - v32, c: v32 + g * v2 })
}

/** The product of two classes. */
export function compose(left: Form, right: Form, { root }: Discriminant): Form {
  const [first, second] = left.a < right.a ? [right, left] : [left, right]
  let [a1, a2, s] = [first.a, second.a, (first.b + second.b) >> 1n]
  const [b2, c2] = [second.b, second.c]
  const n = b2 - s
  const { gcd, x: u } = halfGcd(a2, a1)
  let [common, A] = [gcd, -u * n]
  if (gcd !== 1n && s % gcd !== 0n) {
    const { gcd: d1, x: u1 } = halfGcd(mod(s, gcd), gcd)
    const v = (gcd - u * a2) / a1
    const rest = gcd / d1
    a1 /= d1
    a2 /= d1
    s /= d1
    common = d1
    const l = mod(-u1 * (u * mod(first.c, rest) + v * mod(c2, rest)), rest)
    A = -u * (n / rest) + l * (a1 / rest)
  } else if (gcd !== 1n) {
    a1 /= gcd
    a2 /= gcd
    s /= gcd
  }
  const { d, v3, isUnchanged, ...cofactors } = partialEuclid(a1, nearest(A, a1), root)
  let { v, v2 } = cofactors
  if (isUnchanged) {
    const product = a2 * v3
    return reduce({
      a: d * a2,
      b: 2n * product + b2,
      c: (v3 * (product + n)) / d + ((v3 * s + c2) / d) * common
    })
  }
  const b = (a2 * d + n * v) / a1
  const q1 = b * v3
  const q2 = q1 + n
  const f = q2 / d
  const e = (s * d + c2 * v) / a1
  const q3 = e * v2
  const q4 = q3 - s
  const g = q4 / v
  if (common > 1n) [v, v2] = [v * common, v2 * common]
  return reduce({ a: d * b + e * v, b: q1 + q2 + common * (q3 + q4), c: v3 * f + g * v2 })
}

/** Width of the signed digits: for exponents of 264 bits one more or less costs a few compositions. */
const WINDOW = 5

/** `x^m y^n` for exponents from 0, with the squarings shared. */
export function doublePower(x: Form, m: bigint, y: Form, n: bigint, discriminant: Discriminant): Form {
  const parts = [
    { digits: signedDigits(m), odd: oddPowers(x, discriminant) },
    { digits: signedDigits(n), odd: oddPowers(y, discriminant) }
  ]
  let power: Form | undefined
  for (let place = Math.max(...parts.map(({ digits }) => digits.length)) - 1; place >= 0; place--) {
    if (power !== undefined) power = square(power, discriminant)
    for (const { digits, odd } of parts) {
      const digit = digits[place] ?? 0
      if (digit === 0) continue
      const factor = digit > 0 ? odd[(digit - 1) / 2]! : inverse(odd[(-digit - 1) / 2]!)
      power = power === undefined ? factor : compose(power, factor, discriminant)
    }
  }
  return power ?? identity(discriminant)
}

/** x, x^3, x^5, ... up to the largest digit. */
function oddPowers(x: Form, discriminant: Discriminant): readonly Form[] {
  const step = square(x, discriminant)
  const powers = [x]
  while (powers.length < 2 ** (WINDOW - 2)) powers.push(compose(powers.at(-1)!, step, discriminant))
  return powers
}

/** The non-adjacent form of that width: digits that are 0 or odd and below 2^(WINDOW - 1), the least first. */
function signedDigits(exponent: bigint): readonly number[] {
  const digits: number[] = []
  const base = 2 ** WINDOW
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 0n) {
      digits.push(0)
      continue
    }
    const low = Number(BigInt.asUintN(WINDOW, rest))
    const digit = low >= base / 2 ? low - base : low
    digits.push(digit)
    rest -= BigInt(digit)
  }
  return digits
}
