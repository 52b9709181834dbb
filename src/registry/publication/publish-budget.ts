import { ServiceError } from '../../errors.ts'
import { nextChangeMs, spendChange, type ChangeBudget } from '../../protocol/admission/change-rate.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { RegistryContext } from '../context.ts'

/**
 * How often this daemon may publish each name: as often as the storing nodes take a change, which would otherwise delay
 * later ones. It spends by their rule, not by a bucket of our own. In memory; bounded by the names owned.
 */
export class PublishBudgets {
  readonly #context: Pick<RegistryContext, 'clock' | 'profile'>
  readonly #budgets = new Map<Name, ChangeBudget>()

  constructor(context: Pick<RegistryContext, 'clock' | 'profile'>) {
    this.#context = context
  }

  /** Counts one change. Throws SVC-REQ-005 with the seconds until the next is taken. */
  spend(name: Name): void {
    const { clock, profile } = this.#context
    const now = clock.now()
    const former = this.#budgets.get(name)
    const spent = spendChange(former, now, profile)
    if (spent !== undefined) {
      this.#budgets.set(name, spent)
      return
    }
    const seconds = Math.ceil((nextChangeMs(former, now, profile) - now) / 1000)
    const { interval, burst } = profile.changes
    throw new ServiceError(
      'SVC-REQ-005',
      `${name} was published ${burst} times in a row; peers take one ` +
        `change of it every ${interval} s. The draft is kept.`,
      { retryAfter: Math.max(1, seconds) }
    )
  }
}
