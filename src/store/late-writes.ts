import type { StoreOperation } from './types.ts'

/** From the first write that waits to the disk. */
const LATE_MS = 1_000
/** Records that wait at most: a megabyte or two. With as many they are written at once. */
const MOST_WAITING = 2_000

/**
 * Writes that may be late: in memory at once, on disk a second later, all in one transaction. For what a look-up
 * teaches: hundreds of names a second must not each wait for the disk, nor fail with it.
 */
export class LateWrites {
  readonly #write: (operations: readonly StoreOperation[]) => void
  readonly #onFailure: (error: unknown) => void
  /** By key; undefined: deleted. */
  readonly #waiting = new Map<string, Uint8Array | undefined>()
  #timer: NodeJS.Timeout | undefined
  #isFailing = false

  /** `onFailure` is told once until a write succeeds again; what waits is tried again each second. */
  constructor(write: (operations: readonly StoreOperation[]) => void, onFailure: (error: unknown) => void) {
    this.#write = write
    this.#onFailure = onFailure
  }

  has(key: string): boolean {
    return this.#waiting.has(key)
  }

  get(key: string): Uint8Array | undefined {
    return this.#waiting.get(key)
  }

  hasUnder(prefix: string): boolean {
    for (const key of this.#waiting.keys()) if (key.startsWith(prefix)) return true
    return false
  }

  /** Never throws. */
  add(operations: readonly StoreOperation[]): void {
    for (const operation of operations) {
      if ('put' in operation) this.#waiting.set(operation.put, operation.value)
      else this.#waiting.set(operation.delete, undefined)
    }
    if (this.#waiting.size >= MOST_WAITING) {
      this.settle()
      // The disk takes nothing, and memory is bounded. What is on disk is whole, as all of this goes.
      if (this.#waiting.size > 0) this.stop()
    } else this.#arm()
  }

  /** These were written otherwise since. */
  overtaken(operations: readonly StoreOperation[]): void {
    for (const operation of operations) this.#waiting.delete('put' in operation ? operation.put : operation.delete)
  }

  /** Writes what waits. Never throws: what fails is tried again. */
  settle(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.size === 0) return
    try {
      this.#write(
        [...this.#waiting].map(([key, value]) => (value === undefined ? { delete: key } : { put: key, value }))
      )
      this.#waiting.clear()
      this.#isFailing = false
    } catch (error) {
      this.#arm()
      if (this.#isFailing) return
      this.#isFailing = true
      this.#onFailure(error)
    }
  }

  /** Forgets what waits. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting.clear()
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.settle()
    }, LATE_MS).unref()
  }
}
