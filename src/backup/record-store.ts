import type { StoredRecords } from '../store/snapshot.ts'
import { UnreadableRecord } from '../store/stored-shapes.ts'
import type { Store } from '../store/types.ts'

/**
 * Records in memory under the interface of the store, so that the daemon's own readers judge them. It takes no writes;
 * unreadable ones throw UnreadableRecord.
 */
export class RecordStore implements Store {
  readonly #records: StoredRecords

  constructor(records: StoredRecords) {
    this.#records = records
  }

  get(key: string): Uint8Array | undefined {
    return this.#records.get(key)
  }

  *list(prefix: string, after = ''): IterableIterator<[key: string, value: Uint8Array]> {
    for (const [key, value] of this.#records) if (key.startsWith(prefix) && key > after) yield [key, value]
  }

  *keys(prefix: string): IterableIterator<string> {
    for (const [key] of this.list(prefix)) yield key
  }

  count(prefix: string): number {
    return [...this.keys(prefix)].length
  }

  bytes(): number {
    return [...this.#records.values()].reduce((sum, { length }) => sum + length, 0)
  }

  put(): never {
    throw new Error('these records are read only')
  }

  delete(): never {
    throw new Error('these records are read only')
  }

  batch(): never {
    throw new Error('these records are read only')
  }

  batchLater(): never {
    throw new Error('these records are read only')
  }

  settle(): void {}

  setAside(_key: string, reason: string): never {
    throw new UnreadableRecord(reason)
  }

  close(): void {}
}
