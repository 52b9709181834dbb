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
    const ceiling = Math.min(this.#maxMs, this.#firstMs * 2 ** Math.min(this.#failures, 30))
    this.#failures += 1
    return ceiling * (0.5 + 0.5 * this.#random())
  }
}
