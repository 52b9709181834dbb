/**
 * How many random cases a property gets, and from which seed: PROPERTY_RUNS (1,000) and PROPERTY_SEED (1). A failure names
 * its seed and the smallest case; the same seed tries the same cases again. Others are for `npm run test:long` to try.
 */
export const RUNS = count('PROPERTY_RUNS', 1000)

export const SEED = count('PROPERTY_SEED', 1)

/** For `fc.assert`. */
export const CASES = { numRuns: RUNS, seed: SEED } as const

process.stdout.write(`properties: PROPERTY_RUNS=${RUNS} PROPERTY_SEED=${SEED}\n`)

/** Random numbers in [0, 1) from a seed (mulberry32): for runs that draw as they go. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function count(variable: string, otherwise: number): number {
  const text = process.env[variable]
  if (text === undefined) return otherwise
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`${variable}: a whole number is expected, not ${text}`)
  return value
}
