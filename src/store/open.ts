import { accessSync, chmodSync, constants, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type Database from 'better-sqlite3'
import { makeDirectories, syncDirectory } from '../util/files.ts'
import { corruptError, openDatabase, toStoreError } from './database.ts'
import { checkSchema, inspectDatabase } from './inspect.ts'
import { lockDirectory } from './lock.ts'
import { APPLICATION_ID, copyDatabase, LAYOUT, type Layout, migrate, type Migrated } from './migrate.ts'
import { SqliteStore } from './sqlite-store.ts'
import { StoreError, type OpenedStore, type StoreContents, type StoreOperation } from './types.ts'

export interface StoreOptions {
  /** Largest size of the database file, in pages of 4 KiB. Default: SQLite's own bound, the disk. */
  readonly maxPages?: number
  /** Told once of each record that is set aside. */
  readonly onSetAside?: (key: string, reason: string) => void
  /** Told what is about to be written and deleted, but for what look-ups teach or is set aside. It must not throw. */
  readonly onBefore?: (operations: readonly StoreOperation[]) => void
  /** Told the keys of each write once it is durable. It must not throw. */
  readonly onChange?: (keys: readonly string[]) => void
  /** Told once when what `batchLater` left for later can't be written, and again after the next success. */
  readonly onLateFailure?: (error: unknown) => void
  /**
   * Asked under the directory's lock, before anything in it changes, with what the database holds (undefined: there is
   * none yet). What it throws ends the opening, and the directory is byte for byte what it was.
   */
  readonly admit?: (contents: StoreContents | undefined) => void
  /** What this program writes. Default: `LAYOUT`. */
  readonly layout?: Layout
  /** Told once an older layout was moved forward. */
  readonly onMigrated?: (migrated: Migrated) => void
}

/**
 * Opens the database of a data directory, and makes both where they are missing.
 *
 * Takes the directory's lock, checks the file, and sets WAL with synchronous = FULL: a write that returned has reached
 * the disk. Throws StoreError: `locked`, `corrupt`, `newer`, `full` or `failing`, each with its cure. Nothing is deleted or
 * repaired silently.
 *
 * @param file path of the database; its directory becomes 0700
 */
export function openStore(file: string, options: StoreOptions = {}): OpenedStore {
  const directory = dirname(file)
  const { admit = () => undefined, layout = LAYOUT } = options
  inDirectory(directory, () => {
    makeDirectories(directory)
    // SQLite doesn't say why it can't open a file.
    accessSync(directory, constants.W_OK)
  })
  const lock = lockDirectory(directory)
  let database: Database.Database | undefined
  try {
    const admitted = inspectDatabase(file, admit, layout.version)
    lock.announce()
    inDirectory(directory, () => chmodSync(directory, 0o700))
    database = openDatabase(file)
    chmodSync(file, 0o600)
    prepare(database, file, layout)
    const opened = database
    if (options.maxPages !== undefined) database.pragma(`max_page_count = ${options.maxPages}`)
    const store = new SqliteStore(database, file, {
      check: () => lock.check(file),
      onSetAside: options.onSetAside ?? (() => undefined),
      onBefore: options.onBefore ?? (() => undefined),
      onChange: options.onChange ?? (() => undefined),
      onLateFailure: options.onLateFailure ?? (() => undefined),
      onClose() {
        try {
          if (existsSync(file) || !lock.isInPlace()) opened.close()
          else closeAgain(opened, file)
        } finally {
          lock.release()
        }
      }
    })
    // Where everything is now.
    store.check()
    if (!admitted) admit(store)
    // Only what was admitted is changed.
    const migrated = migrate(database, file, layout)
    if (migrated !== undefined) options.onMigrated?.(migrated)
    return store
  } catch (error) {
    database?.close()
    lock.release()
    throw toStoreError(error, file)
  }
}

/** The file was deleted meanwhile; what is open is whole, so it becomes the file again. */
function closeAgain(database: Database.Database, file: string): void {
  const copy = `${file}.again`
  try {
    rmSync(copy, { force: true })
    copyDatabase(database, copy)
  } finally {
    database.close()
  }
  // They belong to the deleted file, and would be read into this one.
  for (const beside of ['-wal', '-shm']) rmSync(`${file}${beside}`, { force: true })
  renameSync(copy, file)
  syncDirectory(dirname(file))
}

function inDirectory(directory: string, change: () => unknown): void {
  try {
    change()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const full = code === 'ENOSPC'
    const check = code === 'EROFS' ? 'Mount its file system for writing' : 'Check its permissions'
    const cure = full ? 'Free some space.' : `${check}, or choose another directory with --data-dir.`
    throw new StoreError(
      full ? 'full' : 'failing',
      `${directory} cannot be the data directory: ${(error as Error).message}. ${cure}`,
      { cause: error }
    )
  }
}

function prepare(database: Database.Database, file: string, layout: Layout): void {
  const finding = database.pragma('quick_check(1)', { simple: true })
  if (finding !== 'ok') throw corruptError(file, String(finding))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  if (checkSchema(database, file, layout.version) === 'empty') makeTable(database, layout)
}

function makeTable(database: Database.Database, { version }: Layout): void {
  database.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE records (key TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT;
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${version};
    COMMIT;
  `)
}
