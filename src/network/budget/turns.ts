/**
 * Turns of the event loop for what peers ask. One question has each, so that whatever else arrived is handled in
 * between. Once all of them together have used up their share of time, prefixes take turns, and the peers of each.
 */
import { setImmediate } from 'node:timers/promises'
import type { Origin } from '../../protocol/neighbourhood/diversity.ts'
import { systemClock } from '../../time/clock.ts'
import { FairQueue } from './fair-queue.ts'

export class Turns {
  readonly #charge: () => number
  /** True when it is its turn, false when dropped for peers that ask less. */
  readonly #waiting: FairQueue<(isTurn: boolean) => void>
  #isGiving = false

  /**
   * @param waiting questions that wait, in all and of one peer
   * @param charge charges one turn and returns 0; otherwise charges nothing and returns the seconds until there is one
   */
  constructor(waiting: { readonly all: number; readonly peer: number }, charge: () => number) {
    this.#charge = charge
    this.#waiting = new FairQueue(waiting)
  }

  /** Resolves with true at the sender's turn; with false where it asks more than others in a full queue. */
  next(sender: Origin): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiting.add(sender, resolve)?.(false)
    if (!this.#isGiving) void this.#give()
    return promise
  }

  async #give(): Promise<void> {
    this.#isGiving = true
    while (this.#waiting.size > 0) {
      await setImmediate()
      const seconds = this.#charge()
      if (seconds === 0) this.#waiting.next()?.(true)
      else await systemClock.sleep(1_000 * seconds)
    }
    this.#isGiving = false
  }
}
