/**
 * The partial extended Euclid that chooses the cofactor t of a form's encoding. The encoding depends on it, so this
 * follows chiavdf's Lehmer steps exactly (crates/vdf/src/form/partial_xgcd.rs). They compare a truncated bound, so they
 * may go one quotient further than a plain Euclid.
 */
import { bitLength, isqrt } from './integers.ts'

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
