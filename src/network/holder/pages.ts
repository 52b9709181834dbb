/**
 * Pages of entries and commitments for peers. Reading one takes the event loop up to 10 ms: one after the other, or
 * many that are asked for at once hold everything else up.
 */
import { setImmediate } from 'node:timers/promises'
import type { Origin } from '../../protocol/neighbourhood/diversity.ts'
import type { Budget } from '../budget/budget.ts'
import { FairQueue } from '../budget/fair-queue.ts'
import { BUSY } from '../wire/answers.ts'
import { systemClock } from '../../time/clock.ts'

/** From one page to the next, for all: 40 a second, 40% of the event loop. */
const PAGE_MS = 25

/**
 * Pages that wait for their turn, in all, which is less than a second, and of one peer. An honest one asks for one
 * after the other, for each name that it registers.
 */
const MAX_WAITING = { all: 32, peer: 8 }

export class Pages {
  readonly #budget: Pick<Budget, 'page'>
  /** What lets them go on: with true when it is their turn, with false when others ask for less. */
  readonly #waiting = new FairQueue<(isTurn: boolean) => void>(MAX_WAITING)
  #isGiving = false

  constructor(budget: Pick<Budget, 'page'>) {
    this.#budget = budget
  }

  /**
   * What comes out of reading a page, each part of which has a turn of its own: undefined is followed by another.
   * `busy` when the sender asks for too many, or for more than others while all have too many.
   */
  async read<T>(sender: Origin, part: () => T | undefined): Promise<T | typeof BUSY> {
    for (;;) {
      if (!this.#budget.page(sender) || !(await this.#turn(sender))) return BUSY
      const page = part()
      if (page !== undefined) return page
    }
  }

  #turn(sender: Origin): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiting.add(sender, resolve)?.(false)
    if (!this.#isGiving) void this.#giveTurns()
    return promise
  }

  async #giveTurns(): Promise<void> {
    this.#isGiving = true
    while (this.#waiting.size > 0) {
      await setImmediate()
      this.#waiting.next()?.(true)
      await systemClock.sleep(PAGE_MS)
    }
    this.#isGiving = false
  }
}
