/** Pages of entries and commitments for peers. Reading one takes the event loop up to 10 ms: one a turn, or many that are asked for at once hold everything else up. */
import { setImmediate } from 'node:timers/promises'
import type { Origin } from '../../protocol/diversity.ts'
import type { Budget } from '../budget.ts'
import { Places } from '../places.ts'
import { BUSY } from '../protocol/answers.ts'

/** Pages that wait for their turn, in all and of one peer. An honest one asks for one after the other, for each name that it registers. */
const MAX_WAITING = { all: 32, peer: 8 }

export class Pages {
  readonly #budget: Pick<Budget, 'page'>
  readonly #waiting = new Places(MAX_WAITING.all, MAX_WAITING.peer)
  #lastTurn: Promise<unknown> = Promise.resolve()

  constructor(budget: Pick<Budget, 'page'>) {
    this.#budget = budget
  }

  /** What `page` reads, in a turn of the event loop of its own; `busy` when the sender, or all together, have too many. */
  async read<T>(sender: Origin, page: () => T): Promise<T | typeof BUSY> {
    const leave = this.#waiting.take(sender.peer)
    if (leave === undefined) return BUSY
    try {
      if (!this.#budget.page(sender)) return BUSY
      await (this.#lastTurn = this.#lastTurn.then(() => setImmediate()))
      return page()
    } finally {
      leave()
    }
  }
}
