import type Database from 'better-sqlite3'
import { asideOf, isOwners } from './keys.ts'
import { LateWrites } from './late-writes.ts'
import { toStoreError } from './database.ts'
import type { Disturbance, OpenedStore, StoreOperation } from './types.ts'

/** Rows read at a time: an open cursor would block writes, so lists go page by page. */
const PAGE_ROWS = 256

/** The same for keys alone. */
const PAGE_KEYS = 2_048

/** The default of better-sqlite3. */
const BUSY_MS = 5_000

/** Above every character: the end of the keys with a prefix. */
const LAST_CHARACTER = '\u{10FFFF}'

interface Row {
  key: string
  value: Buffer
}

interface StoreListeners {
  readonly onSetAside: (key: string, reason: string) => void
  readonly check: () => Disturbance | undefined
  /** Closes the database. */
  readonly onClose: () => void
  readonly onBefore: (operations: readonly StoreOperation[]) => void
  readonly onChange: (keys: readonly string[]) => void
  readonly onLateFailure: (error: unknown) => void
}

/** {@link Store} over one SQLite table. Made by `openStore` only. */
export class SqliteStore implements OpenedStore {
  readonly #database: Database.Database
  readonly #file: string
  readonly #listeners: StoreListeners
  readonly #get: Database.Statement<[string], Pick<Row, 'value'>>
  readonly #page: Database.Statement<[string, string, number], Row>
  readonly #keys: Database.Statement<[string, string, number], Pick<Row, 'key'>>
  readonly #count: Database.Statement<[string, string], { count: number }>
  readonly #put: Database.Statement<[string, Uint8Array]>
  readonly #delete: Database.Statement<[string]>
  readonly #batch: Database.Transaction<(operations: readonly StoreOperation[]) => void>
  readonly #late: LateWrites

  constructor(database: Database.Database, file: string, listeners: StoreListeners) {
    this.#database = database
    this.#file = file
    this.#listeners = listeners
    this.#get = database.prepare('SELECT value FROM records WHERE key = ?')
    this.#page = database.prepare('SELECT key, value FROM records WHERE key > ? AND key < ? ORDER BY key LIMIT ?')
    this.#keys = database.prepare('SELECT key FROM records WHERE key > ? AND key < ? ORDER BY key LIMIT ?')
    this.#count = database.prepare('SELECT count(*) AS count FROM records WHERE key >= ? AND key < ?')
    this.#put = database.prepare(
      'INSERT INTO records (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value'
    )
    this.#delete = database.prepare('DELETE FROM records WHERE key = ?')
    this.#batch = database.transaction((operations: readonly StoreOperation[]) => {
      for (const operation of operations) {
        if ('put' in operation) this.#put.run(operation.put, operation.value)
        else this.#delete.run(operation.delete)
      }
    })
    this.#late = new LateWrites((operations) => this.#writeBatch(operations), listeners.onLateFailure)
  }

  get(key: string): Uint8Array | undefined {
    if (this.#late.has(key)) return this.#late.get(key)?.slice()
    const row = this.#guard(() => this.#get.get(key))
    return row === undefined ? undefined : new Uint8Array(row.value)
  }

  *list(prefix: string, after?: string): IterableIterator<[key: string, value: Uint8Array]> {
    this.#settleUnder(prefix)
    const end = prefix + LAST_CHARACTER
    // `>` would omit a key that is the prefix itself.
    const itself = prefix === '' || after !== undefined ? undefined : this.get(prefix)
    if (itself !== undefined) yield [prefix, itself]
    let last = after !== undefined && Buffer.compare(Buffer.from(after), Buffer.from(prefix)) > 0 ? after : prefix
    for (;;) {
      const from = last
      const rows = this.#guard(() => this.#page.all(from, end, PAGE_ROWS))
      for (const row of rows) yield [row.key, new Uint8Array(row.value)]
      if (rows.length < PAGE_ROWS) return
      last = rows.at(-1)!.key
    }
  }

  *keys(prefix: string): IterableIterator<string> {
    this.#settleUnder(prefix)
    if (prefix !== '' && this.get(prefix) !== undefined) yield prefix
    for (let last = prefix; ;) {
      const from = last
      const rows = this.#guard(() => this.#keys.all(from, prefix + LAST_CHARACTER, PAGE_KEYS))
      for (const { key } of rows) yield key
      if (rows.length < PAGE_KEYS) return
      last = rows.at(-1)!.key
    }
  }

  bytes(): number {
    return this.#guard(() => {
      const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map(
        (name) => this.#database.pragma(name, { simple: true }) as number
      )
      return (pages! - free!) * size!
    })
  }

  count(prefix: string): number {
    this.#settleUnder(prefix)
    return this.#guard(() => this.#count.get(prefix, prefix + LAST_CHARACTER))!.count
  }

  put(key: string, value: Uint8Array): void {
    this.#listeners.onBefore([{ put: key, value }])
    this.#guard(() => this.#put.run(key, value))
    this.#late.overtaken([{ put: key, value }])
    this.#written([key])
  }

  delete(key: string): void {
    this.#listeners.onBefore([{ delete: key }])
    this.#guard(() => this.#delete.run(key))
    this.#late.overtaken([{ delete: key }])
    this.#written([key])
  }

  batch(operations: readonly StoreOperation[]): void {
    this.#listeners.onBefore(operations)
    this.#writeBatch(operations)
    this.#late.overtaken(operations)
  }

  batchLater(operations: readonly StoreOperation[]): void {
    this.#late.add(operations)
  }

  settle(): void {
    this.#late.settle()
  }

  setAside(key: string, reason: string): void {
    const value = this.get(key)
    const operations = value === undefined ? [] : [{ put: asideOf(key), value }, { delete: key }]
    // Not `batch`: what is lost here, nobody gave up.
    if (operations.length > 0) this.#writeBatch(operations)
    this.#late.overtaken(operations)
    this.#listeners.onSetAside(key, reason)
  }

  check(): Disturbance | undefined {
    return this.#listeners.check()
  }

  close(): void {
    if (!this.#database.open) return
    this.#late.settle()
    this.#late.stop()
    this.#guard(() => this.#listeners.onClose())
  }

  #writeBatch(operations: readonly StoreOperation[]): void {
    this.#guard(() => {
      this.#batch(operations)
    })
    this.#written(operations.map((operation) => ('put' in operation ? operation.put : operation.delete)))
  }

  #written(keys: readonly string[]): void {
    if (keys.some(isOwners)) this.#emptyLog()
    this.#listeners.onChange(keys)
  }

  /**
   * Moves the log into the database file: a damaged page of a log takes all writes after it along. Some milliseconds.
   * While a backup reads, or without space, the log keeps what it has; the write is durable there too.
   */
  #emptyLog(): void {
    try {
      // A reader would be waited for otherwise, on the event loop.
      this.#database.pragma('busy_timeout = 0')
      this.#database.pragma('wal_checkpoint(TRUNCATE)')
    } catch {
      // The next write of this kind tries again.
    } finally {
      this.#database.pragma(`busy_timeout = ${BUSY_MS}`)
    }
  }

  /** A list is that of the disk. */
  #settleUnder(prefix: string): void {
    if (this.#late.hasUnder(prefix)) this.#late.settle()
  }

  #guard<T>(action: () => T): T {
    try {
      return action()
    } catch (error) {
      throw toStoreError(error, this.#file)
    }
  }
}
