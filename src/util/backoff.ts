/** The wait after `failures` in a row: doubled each time, and bounded. */
export function doubled(firstMs: number, maxMs: number, failures: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30))
}

/** Waits between attempts that fail: doubled, bounded, and jittered so that many nodes do not return at once. */
export class Backoff {
  readonly #firstMs: number
  readonly #maxMs: number
  readonly #random: () => number
  #failures = 0

  /** Without `random` all of the doubled time: for what waits alone. */
  constructor(firstMs: number, maxMs: number, random: () => number = () => 1) {
    this.#firstMs = firstMs
    this.#maxMs = maxMs
    this.#random = random
  }

  reset(): void {
    this.#failures = 0
  }

  /** Between half of the doubled time and all of it. */
  next(): number {
    const ceiling = doubled(this.#firstMs, this.#maxMs, this.#failures)
    this.#failures += 1
    return ceiling * (0.5 + 0.5 * this.#random())
  }
}
