import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { lockDirectory } from './lock.ts'
import { corruptError, toStoreError } from './sqlite-errors.ts'
import { SqliteStore } from './sqlite-store.ts'
import { StoreError, type Store } from './types.ts'

/** "CHRM": tells our databases from others' (PRAGMA application_id). */
const APPLICATION_ID = 0x43_48_52_4d

/** Raised with every change to the table or to the key map; older ones are migrated in `migrate`. */
const SCHEMA_VERSION = 1

export interface StoreOptions {
  /** Largest size of the database file, in pages of 4 KiB. Default: SQLite's own bound, the disk. */
  readonly maxPages?: number
  /** Told once of each record that is set aside. */
  readonly onSetAside?: (key: string, reason: string) => void
}

/**
 * Opens the database of a data directory, and makes both where they are missing.
 *
 * Takes the directory's lock, checks the file, and sets WAL with synchronous = FULL: a write that returned has reached the disk.
 * Throws StoreError: `locked`, `corrupt`, `full` or `failing`, each with its cure. Nothing is deleted or repaired silently.
 *
 * @param file path of the database; its directory becomes 0700
 */
export function openStore(file: string, options: StoreOptions = {}): Store {
  const directory = dirname(file)
  makeDirectory(directory)
  const lock = lockDirectory(directory)
  let database: Database.Database | undefined
  try {
    database = new Database(file)
    chmodSync(file, 0o600)
    prepare(database, file)
    if (options.maxPages !== undefined) database.pragma(`max_page_count = ${options.maxPages}`)
    return new SqliteStore(database, file, { onSetAside: options.onSetAside ?? (() => undefined), onClose: () => lock.release() })
  } catch (error) {
    database?.close()
    lock.release()
    throw toStoreError(error, file)
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    chmodSync(directory, 0o700)
  } catch (error) {
    const full = (error as NodeJS.ErrnoException).code === 'ENOSPC'
    const cure = full ? 'Free some space.' : 'Check its permissions, or choose another directory with --data-dir.'
    throw new StoreError(full ? 'full' : 'failing', `${directory} cannot be made: ${(error as Error).message}. ${cure}`, { cause: error })
  }
}

function prepare(database: Database.Database, file: string): void {
  const finding = database.pragma('quick_check(1)', { simple: true })
  if (finding !== 'ok') throw corruptError(file, String(finding))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  migrate(database, file)
}

function migrate(database: Database.Database, file: string): void {
  const application = database.pragma('application_id', { simple: true })
  const version = database.pragma('user_version', { simple: true }) as number
  if (application === 0 && version === 0) {
    database.exec(`
      BEGIN IMMEDIATE;
      CREATE TABLE records (key TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT;
      PRAGMA application_id = ${APPLICATION_ID};
      PRAGMA user_version = ${SCHEMA_VERSION};
      COMMIT;
    `)
    return
  }
  if (application !== APPLICATION_ID) throw corruptError(file, 'it is a database, but not one of chronym')
  if (version > SCHEMA_VERSION) {
    throw new StoreError('failing', `${file} was written by a newer version (schema ${version}, this one knows ${SCHEMA_VERSION}). Install that version again, or choose another directory with --data-dir.`)
  }
}
