/**
 * Pages of entries and commitments for peers. Reading one takes up to 10 ms of the event loop; several at once would
 * block everything else.
 */
import type { Origin } from '../../protocol/neighbourhood/diversity.ts'
import type { Budget } from '../budget/budget.ts'
import { Turns } from '../budget/turns.ts'
import { TokenBuckets } from '../../util/token-buckets.ts'
import { BUSY } from '../wire/answers.ts'

/** One page each 25 ms for all peers: 40 a second, 40% of the event loop. */
const PACE = { perSecond: 40, burst: 1 }

/**
 * Waiting pages, in all (under a second) and of one peer. An honest peer asks for one at a time for each name that it
 * registers.
 */
const MAX_WAITING = { all: 32, peer: 8 }

export class Pages {
  readonly #budget: Pick<Budget, 'page'>
  readonly #turns: Turns

  constructor(budget: Pick<Budget, 'page'>) {
    this.#budget = budget
    const pace = new TokenBuckets({ ...PACE, keys: 1, now: () => performance.now() })
    this.#turns = new Turns(MAX_WAITING, () => pace.tryTake('all', 1))
  }

  /**
   * The result of reading a page in parts, each with its own turn; undefined means another part. `busy` when the sender
   * asks too much, or more than others in a full queue.
   */
  async read<T>(sender: Origin, part: () => T | undefined): Promise<T | typeof BUSY> {
    for (;;) {
      if (!this.#budget.page(sender) || !(await this.#turns.next(sender))) return BUSY
      const page = part()
      if (page !== undefined) return page
    }
  }
}
