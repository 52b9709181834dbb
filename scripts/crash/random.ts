/**
 * Numbers that a seed determines: a run can be repeated. The instants of the machine cannot, so neither can its outcome
 * to the millisecond.
 */
export interface Random {
  /** 0 <= x < 1 */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  pick<T>(from: readonly T[]): T
}

/** mulberry32 (Tommy Ettinger, public domain): 32 bits of state are plenty for choosing instants. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (from) => from[Math.floor(next() * from.length)]!
  }
}
