/** Elements of the class group: reduced binary quadratic forms of a negative prime discriminant. */
import { floorDiv, isqrt } from './integers.ts'

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
