/**
 * Pages of entries and commitments for peers. Reading one takes up to 10 ms of the event loop; several at once would
 * block everything else.
 */
import { setImmediate } from 'node:timers/promises'
import type { Origin } from '../../protocol/neighbourhood/diversity.ts'
import type { Budget } from '../budget/budget.ts'
import { FairQueue } from '../budget/fair-queue.ts'
import { BUSY } from '../wire/answers.ts'
import { systemClock } from '../../time/clock.ts'

/** Interval between pages, for all peers: 40 a second, 40% of the event loop. */
const PAGE_MS = 25

/**
 * Waiting pages, in all (under a second) and of one peer. An honest peer asks for one at a time for each name that it
 * registers.
 */
const MAX_WAITING = { all: 32, peer: 8 }

export class Pages {
  readonly #budget: Pick<Budget, 'page'>
  /** Resumes a read: true when it is its turn, false when dropped for peers that ask less. */
  readonly #waiting = new FairQueue<(isTurn: boolean) => void>(MAX_WAITING)
  #isGiving = false

  constructor(budget: Pick<Budget, 'page'>) {
    this.#budget = budget
  }

  /**
   * The result of reading a page in parts, each with its own turn; undefined means another part. `busy` when the sender
   * asks too much, or more than others in a full queue.
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
