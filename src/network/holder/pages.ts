/**
 * Pages of entries and commitments for peers. Reading one takes up to 10 ms of the event loop; several at once would
 * block everything else.
 */
import type { Origin } from '../../protocol/neighbourhood/diversity.ts'
import type { Budget } from '../budget/budget.ts'
import { Turns } from '../budget/turns.ts'
import { BUSY } from '../wire/answers.ts'

/**
 * Waiting pages, in all (under a second) and of one peer. An honest peer asks for one at a time for each name that it
 * registers.
 */
const MAX_WAITING = { all: 32, peer: 8 }

export class Pages {
  readonly #budget: Pick<Budget, 'page' | 'pageOfAll'>
  readonly #turns: Turns

  constructor(budget: Pick<Budget, 'page' | 'pageOfAll'>) {
    this.#budget = budget
    this.#turns = new Turns(MAX_WAITING, () => budget.pageOfAll())
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
