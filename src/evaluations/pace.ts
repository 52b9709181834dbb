/** The mean reaches back over at most about this much evidence. */
const LONGEST_SPAN_MS = 5 * 60_000
/** Looks come every half second; a longer gap means a sleep, a pause or a clock that was set. */
const LONGEST_GAP_MS = 5_000

/**
 * How fast a task advances, for its ETA. Pure: time comes in as an argument.
 * The mean is exponential, over a span that grows with the evidence. An early ETA follows the little that is known; a
 * late one ignores a busy minute.
 * Time in which the daemon did not look (the machine slept, the task was paused, the clock was set) is no evidence.
 */
export class Pace {
  #last: { readonly atMs: number; readonly done: number } | undefined
  #evidenceMs = 0
  #perSecond = 0

  /** `done`: the amount done at `atMs`, in any unit. */
  push(atMs: number, done: number): void {
    const last = this.#last
    this.#last = { atMs, done }
    if (last === undefined) return
    const tookMs = atMs - last.atMs
    if (tookMs <= 0 || tookMs > LONGEST_GAP_MS || done < last.done) return
    this.#evidenceMs = Math.min(this.#evidenceMs + tookMs, LONGEST_SPAN_MS)
    const measured = ((done - last.done) * 1000) / tookMs
    this.#perSecond += (measured - this.#perSecond) * (tookMs / this.#evidenceMs)
  }

  /** The work stops: the time until the next look is no evidence. The rate stays. */
  rest(): void {
    this.#last = undefined
  }

  /** Undefined until progress was seen. */
  get perSecond(): number | undefined {
    return this.#perSecond > 0 ? this.#perSecond : undefined
  }
}
