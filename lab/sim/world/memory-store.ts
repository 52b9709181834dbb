/** The daemon's store without a disk: what a process puts here survives its crash, as SQLite's does. */
import type { Store, StoreOperation } from '../../../src/store/types.ts'

/** A row's overhead on disk, about. */
const ROW_BYTES = 16

export function createMemoryStore(): Store {
  const values = new Map<string, Uint8Array>()
  let sorted: string[] | undefined
  let bytes = 0
  const put = (key: string, value: Uint8Array): void => {
    const before = values.get(key)
    if (before === undefined) sorted = undefined
    bytes += value.length - (before === undefined ? -key.length - ROW_BYTES : before.length)
    values.set(key, value)
  }
  const remove = (key: string): void => {
    const before = values.get(key)
    if (before === undefined) return
    bytes -= before.length + key.length + ROW_BYTES
    values.delete(key)
    sorted = undefined
  }
  const write = (operations: readonly StoreOperation[]): void => {
    for (const operation of operations) {
      if ('put' in operation) put(operation.put, operation.value)
      else remove(operation.delete)
    }
  }
  const under = (prefix: string, after = ''): string[] => {
    sorted ??= [...values.keys()].sort()
    return sorted.filter((key) => key.startsWith(prefix) && key > after)
  }
  return {
    get: (key) => values.get(key),
    *list(prefix, after) {
      for (const key of under(prefix, after)) {
        const value = values.get(key)
        if (value !== undefined) yield [key, value]
      }
    },
    *keys(prefix) {
      yield* under(prefix)
    },
    count: (prefix) => under(prefix).length,
    bytes: () => bytes,
    put,
    delete: remove,
    batch: write,
    batchLater: write,
    settle: () => undefined,
    setAside(key, reason) {
      throw new Error(`a simulated store cannot be damaged: ${key}: ${reason}`)
    },
    close: () => undefined
  }
}

export interface ProcessStore {
  readonly store: Store
  /** The process ends at its n-th write from now, which is lost. */
  killAtWrite(count: number, killed: () => void): void
  end(): void
}

export function openProcessStore(disk: Store): ProcessStore {
  let isRunning = true
  let left = Infinity
  let killed: () => void = () => undefined
  const write = (action: () => void): void => {
    if (!isRunning) return
    if (--left > 0) {
      action()
      return
    }
    isRunning = false
    killed()
  }
  return {
    store: {
      ...disk,
      put: (key, value) => write(() => disk.put(key, value)),
      delete: (key) => write(() => disk.delete(key)),
      batch: (operations) => write(() => disk.batch(operations))
    },
    killAtWrite(count, then) {
      left = count
      killed = then
    },
    end() {
      isRunning = false
    }
  }
}
