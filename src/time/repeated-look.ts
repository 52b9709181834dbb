import type { Clock } from './clock.ts'

/** Looks again and again, one look at a time. */
export class RepeatedLook {
  readonly #look: (signal: AbortSignal) => Promise<void>
  readonly #ended = new AbortController()
  #end: (() => void) | undefined
  #looking: Promise<void> | undefined

  /** `look` never rejects. Its signal aborts when the looks are stopped. */
  constructor(look: (signal: AbortSignal) => Promise<void>) {
    this.#look = look
  }

  get isStarted(): boolean {
    return this.#end !== undefined
  }

  start(timers: Pick<Clock, 'every'>, everyMs: number): void {
    this.#end = timers.every(everyMs, () => this.begin())
  }

  /** Looks now, unless a look is under way. */
  begin(): void {
    this.#looking ??= this.#look(this.#ended.signal).finally(() => (this.#looking = undefined))
  }

  /** Ends for good, after the look under way. */
  async stop(): Promise<void> {
    this.#ended.abort()
    this.#end?.()
    await this.#looking
  }
}
