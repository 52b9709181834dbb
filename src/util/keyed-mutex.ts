/** Runs actions of one key one after the other; those of different keys do not wait for each other. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>()

  async run<T>(key: string, action: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve()
    // The next one starts whether this one fails or not; its failure goes to its own caller.
    const own = before.then(action, action)
    this.#tails.set(key, own)
    try {
      return await own
    } finally {
      if (this.#tails.get(key) === own) this.#tails.delete(key)
    }
  }
}
