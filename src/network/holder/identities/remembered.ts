/** Outcomes of look-ups that others' puts cause: one look-up at a time for each key, and none again for a while. */
import type { RoundClock } from '../../../time/round-clock.ts'
import { BoundedMap } from '../../../util/bounded-map.ts'

/** As long as a resolver keeps "not found". An owner whose name or identity is new waits no longer for this node. */
const KEPT_MS = 30_000

/** More than the budget of unexpected work lets all peers ask for in that time. */
const CAPACITY = 1_024

interface Kept<T> {
  readonly sinceMs: number
  readonly outcome: Promise<T>
}

export class Remembered<T> {
  readonly #clock: Pick<RoundClock, 'nowMs'>
  readonly #isKept: (outcome: T) => boolean
  readonly #kept = new BoundedMap<string, Kept<T>>(CAPACITY)

  /** @param isKept whether an outcome is remembered, or only shared by those who wait for it */
  constructor(clock: Pick<RoundClock, 'nowMs'>, isKept: (outcome: T) => boolean = () => true) {
    this.#clock = clock
    this.#isKept = isKept
  }

  /** The outcome for this key: one under way, one of the last half minute, or that of `look`. Rejects as `look` does. */
  async get(key: string, look: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key)
    // A clock that was set back makes no outcome last.
    if (known !== undefined && Math.abs(this.#clock.nowMs() - known.sinceMs) < KEPT_MS) return known.outcome
    const begun = { sinceMs: this.#clock.nowMs(), outcome: look() }
    this.#kept.set(key, begun)
    let isKept = false
    try {
      const outcome = await begun.outcome
      isKept = this.#isKept(outcome)
      return outcome
    } finally {
      if (!isKept && this.#kept.get(key) === begun) this.#kept.delete(key)
    }
  }
}
