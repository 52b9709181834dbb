export class Lifecycle {
  readonly #stops: { readonly what: string; readonly stop: () => Promise<void> | void }[] = []
  readonly #onError: (what: string, error: unknown) => void
  #stopping: Promise<void> | undefined

  constructor(onError: (what: string, error: unknown) => void) {
    this.#onError = onError
  }

  onStop(what: string, stop: () => Promise<void> | void): void {
    this.#stops.push({ what, stop })
  }

  /** Stops everything, last started first. A failure is reported and does not keep the others from stopping. */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#run())
  }

  async #run(): Promise<void> {
    for (const { what, stop } of this.#stops.reverse()) {
      try {
        await stop()
      } catch (error) {
        this.#onError(what, error)
      }
    }
  }
}
