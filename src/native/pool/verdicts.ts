/**
 * Verdicts remembered, and shared while they are computed: each question is computed once, however many ask it.
 * True and false ones are apart, each bounded, the least recently used forgotten first. A false verdict costs its
 * author only a message, so strangers could evict everything from a common memory. A true one of a proof costs a whole
 * VDF.
 */
import { LruMap } from '../../util/bounded-map.ts'
import type { Ticket } from './scheduler.ts'
import { type VerdictOptions, isMoreUrgent, type Urgency } from '../types.ts'

interface VerdictLimits {
  readonly valid: number
  readonly invalid: number
}

interface Pending {
  readonly ticket: Ticket<boolean>
  waiting: number
  urgency: Urgency
}

export class Verdicts {
  readonly #kept: Readonly<Record<'valid' | 'invalid', LruMap<string, true>>>
  readonly #pending = new Map<string, Pending>()

  constructor({ valid, invalid }: VerdictLimits) {
    this.#kept = { valid: new LruMap(valid), invalid: new LruMap(invalid) }
  }

  /**
   * The verdict on the question with this key; `submit` begins to compute it.
   * Rejects as that does, remembering nothing, or with the signal's reason: a question that nobody waits for is not
   * computed.
   */
  async ask(
    key: string,
    { urgency = 'own', signal }: VerdictOptions,
    submit: (urgency: Urgency) => Ticket<boolean>
  ): Promise<boolean> {
    signal?.throwIfAborted()
    if (this.#kept.valid.get(key) === true) return true
    if (this.#kept.invalid.get(key) === true) return false
    const pending = this.#pending.get(key) ?? this.#begin(key, submit(urgency), urgency)
    if (isMoreUrgent(urgency, pending.urgency)) {
      pending.urgency = urgency
      pending.ticket.hurry(urgency)
    }
    pending.waiting++
    if (signal === undefined) return pending.ticket.result
    const aborted = Promise.withResolvers<never>()
    const onAbort = (): void => {
      aborted.reject(signal.reason as Error)
      if (--pending.waiting > 0) return
      if (this.#pending.get(key) === pending) this.#pending.delete(key)
      pending.ticket.abandon()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([pending.ticket.result, aborted.promise])
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  #begin(key: string, ticket: Ticket<boolean>, urgency: Urgency): Pending {
    const pending = { ticket, waiting: 0, urgency }
    this.#pending.set(key, pending)
    const end = (): void => {
      if (this.#pending.get(key) === pending) this.#pending.delete(key)
    }
    ticket.result.then((verdict) => {
      this.#kept[verdict ? 'valid' : 'invalid'].set(key, true)
      end()
      // The callers see the failure; here it only means that there is no verdict to keep.
    }, end)
    return pending
  }
}
