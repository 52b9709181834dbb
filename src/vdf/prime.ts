/**
 * Primality, exactly as chiavdf and crates/vdf decide it: trial division, Miller-Rabin to base 2, Lucas-V
 * ("Strengthening the Baillie-PSW primality test", arXiv:2006.14425). Another decision would derive other
 * discriminants.
 */
import { powerOfTwoMod } from './integers.ts'

/** Primes below this are tried. At 1024 bits a test of Miller-Rabin takes some 2 ms, a group of primes 0.2 us. */
const TRIED_BELOW = 4096

/** A square has no D with (D / n) = -1; chiavdf gives up here. */
const MAX_D = 1000

const SMALL_PRIMES = primesBelow(TRIED_BELOW)

/** Products of consecutive primes, below 2^48: one residue serves them all. */
const GROUPS = groupsOf(SMALL_PRIMES, 2 ** 48)

/** Whether an odd number above 1 passes. No composite is known that does. */
export function isPrime(n: bigint): boolean {
  if (n < BigInt(TRIED_BELOW) ** 2n) return n > 2n && !SMALL_PRIMES.some((p) => p ** 2 <= n && n % BigInt(p) === 0n)
  return !hasSmallDivisor(n) && isStrongProbablePrime(n) && isLucasProbablePrime(n)
}

function hasSmallDivisor(n: bigint): boolean {
  return GROUPS.some(({ product, primes }) => {
    const rest = Number(n % product)
    return primes.some((prime) => rest % prime === 0)
  })
}

/** To base 2. */
function isStrongProbablePrime(n: bigint): boolean {
  const even = n - 1n
  let twos = 0n
  while (((even >> twos) & 1n) === 0n) twos++
  let power = powerOfTwoMod(even >> twos, n)
  if (power === 1n || power === even) return true
  for (let step = 1n; step < twos; step++) {
    power = (power * power) % n
    if (power === even) return true
  }
  return false
}

/** Whether `V_(n+1) = 2 Q mod n`, with Selfridge's parameters, method A*. */
function isLucasProbablePrime(n: bigint): boolean {
  const parameters = lucasParameters(n)
  if (parameters === undefined) return false
  const [p, q] = parameters
  // V_k, V_(k+1) and Q^k for the leading bits k of n + 1
  let [v, vNext, qK] = [2n, p, 1n]
  for (const bit of (n + 1n).toString(2)) {
    const middle = (v * vNext - p * qK) % n
    if (bit === '1') {
      const qNext = (qK * q) % n
      vNext = (vNext * vNext - 2n * qNext) % n
      v = middle
      qK = (qK * qNext) % n
    } else {
      v = (v * v - 2n * qK) % n
      vNext = middle
      qK = (qK * qK) % n
    }
  }
  return (v - 2n * q) % n === 0n
}

/** (P, Q) for the first D of 5, -7, 9, -11, ... with (D / n) = -1. */
function lucasParameters(n: bigint): readonly [bigint, bigint] | undefined {
  for (let magnitude = 5; magnitude < MAX_D; magnitude += 2) {
    const d = magnitude % 4 === 1 ? magnitude : -magnitude
    if (jacobi(d, n) === -1) return d === 5 ? [5n, 5n] : [1n, BigInt((1 - d) / 4)]
  }
  return undefined
}

/** The Jacobi symbol (d / n), for small odd d and odd n. */
function jacobi(d: number, n: bigint): number {
  const magnitude = Math.abs(d)
  const isThree = (n & 3n) === 3n
  let sign = 1
  if (d < 0 && isThree) sign = -sign
  if (magnitude % 4 === 3 && isThree) sign = -sign
  let [top, bottom] = [Number(n % BigInt(magnitude)), magnitude]
  while (top !== 0) {
    while (top % 2 === 0) {
      top /= 2
      // (2 / m) = -1 when m = 3 or 5 mod 8
      if (bottom % 8 === 3 || bottom % 8 === 5) sign = -sign
    }
    if (top % 4 === 3 && bottom % 4 === 3) sign = -sign
    ;[top, bottom] = [bottom % top, top]
  }
  return bottom === 1 ? sign : 0
}

/** The odd primes below `limit` (Eratosthenes). */
function primesBelow(limit: number): readonly number[] {
  const composite = new Uint8Array(limit)
  const primes: number[] = []
  for (let n = 3; n < limit; n += 2) {
    if (composite[n] === 1) continue
    for (let multiple = n * n; multiple < limit; multiple += n) composite[multiple] = 1
    primes.push(n)
  }
  return primes
}

function groupsOf(primes: readonly number[], limit: number): { product: bigint; primes: readonly number[] }[] {
  const groups: { product: number; primes: number[] }[] = []
  for (const prime of primes) {
    const last = groups.at(-1)
    if (last === undefined || last.product * prime >= limit) groups.push({ product: prime, primes: [prime] })
    else {
      last.product *= prime
      last.primes.push(prime)
    }
  }
  return groups.map(({ product, primes: members }) => ({ product: BigInt(product), primes: members }))
}
