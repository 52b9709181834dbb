import { PartError } from '../protocol/errors.ts'

/**
 * The embedded database as the rest of the daemon sees it: ordered byte values under string keys. A write is durable
 * (on disk, WAL synchronous = FULL) when the call returns. Key layout: `keys.ts`, nowhere else.
 */
export interface Store {
  get(key: string): Uint8Array | undefined
  /** Keys with that prefix, in byte order, with their values; only those after the key `after` where one is given. */
  list(prefix: string, after?: string): IterableIterator<[key: string, value: Uint8Array]>
  keys(prefix: string): IterableIterator<string>
  count(prefix: string): number
  /** Bytes in use in the database file, without those of deleted records. */
  bytes(): number
  put(key: string, value: Uint8Array): void
  delete(key: string): void
  /** All or nothing. */
  batch(operations: readonly StoreOperation[]): void
  /**
   * As `batch`, but durable a second later, and lost by a crash before. Every reader of this store sees it at once. For
   * advice that look-ups teach: it never throws, so no answer depends on the disk.
   */
  batchLater(operations: readonly StoreOperation[]): void
  /** Makes durable what {@link batchLater} left for later, as far as the disk takes it. Never throws. */
  settle(): void
  /** Moves an unreadable record, as it is, under `aside/`, and tells the opener of the store. */
  setAside(key: string, reason: string): void
  close(): void
}

/** Something happened to the files of an open store. */
export interface Disturbance {
  readonly message: string
  /** What is written from now on is lost, or another daemon writes there too. */
  readonly isFatal: boolean
}

/** A store on disk, with the lock of its directory. */
export interface OpenedStore extends Store {
  /** Undefined while all files are where they were at the start. Never throws. */
  check(): Disturbance | undefined
}

export type StoreContents = Pick<Store, 'get' | 'list' | 'keys' | 'count'>

export type StoreOperation = { readonly put: string; readonly value: Uint8Array } | { readonly delete: string }

/**
 * `locked`: another daemon uses this data directory. `corrupt`: the database does not open or fails its check.
 * `newer`: a newer version of this program wrote it. `full`: no space. `failing`: any other I/O error. A failed write leaves what was stored before as it was.
 */
export type StoreErrorCode = 'locked' | 'corrupt' | 'newer' | 'full' | 'failing'

export class StoreError extends PartError<'store', StoreErrorCode> {
  override readonly name = 'StoreError'
  override readonly part = 'store'
}
