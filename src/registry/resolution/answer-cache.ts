import type { Clock } from '../../time/clock.ts'
import { BoundedMap } from '../../util/bounded-map.ts'
import { orAborted } from '../../util/concurrency.ts'

/** Names kept at once: a few tens of MB at their largest. */
const MAX_ENTRIES = 2000
/** A stale answer that could not be refreshed is given out for as long before another attempt. */
const RETRY_MS = 5_000

export interface Answer<T> {
  readonly value: T
  readonly freshMs: number
  /** How long it may be returned while the daemon asks again. */
  readonly staleMs: number
  /** It takes the place of no other answer that may still be returned. */
  readonly isFallback?: boolean
}

interface Entry<T> extends Answer<T> {
  readonly atMs: number
  /** When it could not be refreshed. */
  failedAtMs: number
}

/** Keeps answers for their time and returns stale ones while it asks again. One question at a time for each key. */
export class AnswerCache<T> {
  readonly #clock: Clock
  readonly #onBackgroundError: (error: unknown) => void
  readonly #entries = new BoundedMap<string, Entry<T>>(MAX_ENTRIES)
  readonly #asking = new Map<string, Promise<Entry<T>>>()

  constructor(clock: Clock, onBackgroundError: (error: unknown) => void) {
    this.#clock = clock
    this.#onBackgroundError = onBackgroundError
  }

  /** `signal` ends only this caller's wait: others may wait for the same answer. */
  async get(key: string, ask: () => Promise<Answer<T>>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    const entry = this.#entries.get(key)
    if (entry !== undefined && this.#isYounger(entry, entry.freshMs)) return entry.value
    if (entry !== undefined && this.#isYounger(entry, entry.staleMs)) {
      this.#refresh(key, entry, ask)
      return entry.value
    }
    return (await this.#answered(key, ask, signal)).value
  }

  /**
   * The answer with the times that are left of it, for a copy elsewhere: the kept one while more than `leastLeft`
   * (0..1) of its fresh time is left, else a new one. Never a stale one.
   */
  async current(
    key: string,
    ask: () => Promise<Answer<T>>,
    { leastLeft = 0, signal }: { readonly leastLeft?: number; readonly signal?: AbortSignal | undefined } = {}
  ): Promise<Answer<T>> {
    signal?.throwIfAborted()
    const entry = this.#entries.get(key)
    if (entry !== undefined && this.#isYounger(entry, entry.freshMs * (1 - leastLeft))) return this.#left(entry)
    return this.#left(await this.#answered(key, ask, signal))
  }

  fresh(key: string): T | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && this.#isYounger(entry, entry.freshMs) ? entry.value : undefined
  }

  /** Also drops the answers to questions that are still open. */
  deleteWhere(isMeant: (key: string) => boolean): void {
    for (const key of [...this.#entries.keys(), ...this.#asking.keys()].filter(isMeant)) {
      this.#entries.delete(key)
      this.#asking.delete(key)
    }
  }

  clear(): void {
    this.#entries.clear()
    this.#asking.clear()
  }

  /** A value from the future, since the clock was set back, would be kept until then. */
  #isYounger({ atMs }: Entry<T>, limitMs: number): boolean {
    const ageMs = this.#clock.now() - atMs
    return ageMs >= 0 && ageMs < limitMs
  }

  #left({ value, atMs, freshMs, staleMs }: Entry<T>): Answer<T> {
    const ageMs = Math.max(0, this.#clock.now() - atMs)
    return { value, freshMs: Math.max(0, freshMs - ageMs), staleMs: Math.max(0, staleMs - ageMs) }
  }

  #answered(key: string, ask: () => Promise<Answer<T>>, signal: AbortSignal | undefined): Promise<Entry<T>> {
    const asked = this.#ask(key, ask)
    return signal === undefined ? asked : orAborted(asked, signal)
  }

  /** Asks again while a stale answer is given out. However many it is given to, a failure is reported once. */
  #refresh(key: string, entry: Entry<T>, ask: () => Promise<Answer<T>>): void {
    const sinceMs = this.#clock.now() - entry.failedAtMs
    if (this.#asking.has(key) || (sinceMs >= 0 && sinceMs < RETRY_MS)) return
    this.#ask(key, ask).catch((error: unknown) => {
      entry.failedAtMs = this.#clock.now()
      this.#onBackgroundError(error)
    })
  }

  #ask(key: string, ask: () => Promise<Answer<T>>): Promise<Entry<T>> {
    const underWay = this.#asking.get(key)
    if (underWay !== undefined) return underWay
    const asked: Promise<Entry<T>> = ask()
      .then((answer) => {
        const entry = { ...answer, atMs: this.#clock.now(), failedAtMs: -Infinity }
        if (this.#asking.get(key) !== asked) return entry
        const before = this.#entries.get(key)
        const isBetter = before !== undefined && before.isFallback !== true && this.#isYounger(before, before.staleMs)
        if (entry.isFallback === true && isBetter) before.failedAtMs = entry.atMs
        else this.#entries.set(key, entry)
        return entry
      })
      .finally(() => {
        if (this.#asking.get(key) === asked) this.#asking.delete(key)
      })
    this.#asking.set(key, asked)
    return asked
  }
}
