/** The seed of a running daemon: in memory while it is unlocked, nowhere while it is locked. */
import { ServiceError } from '../errors.ts'

/** Code that needs a signature asks here each time, and keeps nothing. */
export interface OwnerSeed {
  readonly isLocked: boolean
  /** 32 bytes; the names' keys come from it. Throws SVC-KEY-006 while it is locked. */
  require(): Uint8Array
  /** Resolves at once or when it is unlocked; rejects with the reason of `signal`. */
  unlocked(signal: AbortSignal): Promise<void>
}

export class SeedHolder implements OwnerSeed {
  #seed: Uint8Array | undefined
  readonly #listeners = new Set<() => void>()
  readonly #lockListeners = new Set<() => void>()

  /** @param seed 32 bytes, which `lock` overwrites; undefined: it is locked */
  constructor(seed: Uint8Array | undefined) {
    this.#seed = seed
  }

  get isLocked(): boolean {
    return this.#seed === undefined
  }

  require(): Uint8Array {
    if (this.#seed === undefined)
      throw new ServiceError('SVC-KEY-006', 'The seed of this daemon is locked, and this needs its signature.')
    return this.#seed
  }

  unlocked(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted || !this.isLocked) {
        if (signal.aborted) reject(signal.reason as Error)
        else resolve()
        return
      }
      const end = (): void => {
        off()
        signal.removeEventListener('abort', abort)
      }
      const off = this.onUnlock(() => {
        end()
        resolve()
      })
      const abort = (): void => {
        end()
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', abort, { once: true })
    })
  }

  onUnlock(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** For what keeps something that the seed opened. */
  onLock(listener: () => void): () => void {
    this.#lockListeners.add(listener)
    return () => this.#lockListeners.delete(listener)
  }

  /** @param seed 32 bytes, which `lock` overwrites */
  unlock(seed: Uint8Array): void {
    this.#seed = seed
    for (const listener of [...this.#listeners]) listener()
  }

  /** Overwrites it in memory. Keys that are derived from it live for one use: `useOnce`. */
  lock(): void {
    this.#seed?.fill(0)
    this.#seed = undefined
    for (const listener of this.#lockListeners) listener()
  }
}
