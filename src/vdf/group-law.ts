/**
 * Composition and squaring: NUCOMP and NUDUPL as in Cohen, "A Course in Computational Algebraic Number Theory",
 * algorithms 5.4.8 and 5.4.9, whose symbols the code keeps.
 */
import { type Discriminant, type Form, reduce } from './form.ts'
import { halfGcd, mod } from './integers.ts'

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
