/** Bounds what runs at the same time, in all and for each holder. */
export class ConcurrencyLimit {
  readonly #total: number
  readonly #each: number
  readonly #taken = new Map<string, number>()
  #sum = 0

  constructor(total: number, each: number) {
    this.#total = total
    this.#each = each
  }

  /** Takes `count` places; undefined when fewer are free. The returned function gives them back, once. */
  take(holder: string, count = 1): (() => void) | undefined {
    const own = (this.#taken.get(holder) ?? 0) + count
    if (this.#sum + count > this.#total || own > this.#each) return undefined
    this.#sum += count
    this.#taken.set(holder, own)
    let given = false
    return () => {
      if (given) return
      given = true
      this.#sum -= count
      const left = this.#taken.get(holder)! - count
      if (left === 0) this.#taken.delete(holder)
      else this.#taken.set(holder, left)
    }
  }
}
