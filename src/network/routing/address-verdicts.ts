/** What peers said of one own address, and which peer may be asked about it next. Times are looks, ten seconds each. */

/** Peers that are remembered and shown. */
const MAX_SHOWN = 8

/**
 * Peers that must fail one after the other before a confirmed address is announced no more: one may lie, and one may
 * have trouble of its own.
 */
const FAILURES = 3

/** A confirmed address is tried again after ten minutes; a failure is followed up in the same look. */
const CONFIRMED_LOOKS = 60

/** The same peer is asked again after one look, then two, four, and at last ten minutes. */
const LONGEST_PAUSE = 60

export class AddressVerdicts {
  /** Peers that reached it, most recent first. */
  confirmedBy: readonly string[] = []
  isConfirmed = false
  /** A question is under way: others wait for its answer. */
  isAsking = false
  /** Since the last success, the reason of each peer that failed. */
  readonly #failures = new Map<string, string>()
  #undialled: string | undefined
  #reachedAt = 0
  readonly #asked = new Map<string, { dueAt: number; pause: number }>()

  isDue(looks: number): boolean {
    return !this.isConfirmed || this.#failures.size > 0 || looks - this.#reachedAt >= CONFIRMED_LOOKS
  }

  mayAsk(peer: string, looks: number): boolean {
    return looks >= (this.#asked.get(peer)?.dueAt ?? 0)
  }

  asks(peer: string, looks: number): void {
    const pause = this.#asked.get(peer)?.pause ?? 1
    this.#asked.set(peer, { dueAt: looks + pause, pause: Math.min(2 * pause, LONGEST_PAUSE) })
  }

  forget(peer: string): void {
    this.#asked.delete(peer)
  }

  reached(peer: string, looks: number): void {
    this.confirmedBy = [peer, ...this.confirmedBy.filter((other) => other !== peer)].slice(0, MAX_SHOWN)
    this.isConfirmed = true
    this.#reachedAt = looks
    this.#failures.clear()
    this.#undialled = undefined
    this.#asked.delete(peer)
  }

  unreached(peer: string, reason: string): void {
    this.#failures.delete(peer)
    this.#failures.set(peer, reason)
    if (this.#failures.size >= FAILURES) this.isConfirmed = false
    if (this.#failures.size > MAX_SHOWN) this.#failures.delete(this.#failures.keys().next().value!)
  }

  /** The peer has no way there: that says nothing about the address. */
  undialled(reason: string): void {
    this.#undialled = reason
  }

  /** Why an address is not confirmed, and the cure. */
  message(port: string): string {
    const [last, reason] = [...this.#failures].at(-1) ?? []
    if (last !== undefined)
      return (
        `No peer reaches it; ${last} says: ${reason!}. Open TCP port ${port} in the firewall, forward it in the ` +
        'router, or name the address that peers reach with --announce (p2p.announce).'
      )
    if (this.#undialled !== undefined)
      return `The connected peers have no way there (${this.#undialled}). One that has will confirm it.`
    return 'No peer has dialled it yet. The first one that can be asked does so within seconds.'
  }
}
