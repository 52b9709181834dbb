/** What one process sees of its node's disk: once it is killed, nothing that it still does is written. */
import type { Store } from '../../../src/store/types.ts'

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
