import { existsSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { openDatabase } from './database.ts'
import { refuseNewer, schemaVersion } from './migrate.ts'
import { APPLICATION_ID, SCHEMA_VERSION } from './schema.ts'
import { corruptError, toStoreError } from './sqlite-errors.ts'
import { StoreError } from './types.ts'

/** How long a reader waits where SQLite recovers the file after a crash. */
const BUSY_MS = 5_000

/** Above every character: the end of the keys with a prefix. */
const LAST_CHARACTER = '\u{10FFFF}'

/** Keys with their values, in byte order. */
export type StoredRecords = ReadonlyMap<string, Uint8Array>

/**
 * All records under these prefixes at one moment, read beside a running daemon: one read transaction, no lock of the
 * directory, no write.
 * @param file path of the database.
 * Throws StoreError `corrupt`, `newer`, `locked` or `failing`; `failing` where there is no such file, and makes none.
 */
export function readSnapshot(file: string, prefixes: readonly string[]): StoredRecords {
  return readBeside(file, (database) => {
    const version = schemaVersion(database)
    if (version < SCHEMA_VERSION)
      throw new StoreError(
        'failing',
        `${file} was written by an older version of Chronym (schema ${version}, this one reads ${SCHEMA_VERSION}). ` +
          'Start the daemon on it once: it moves the database forward, after a copy.'
      )
    const under = database.prepare<[string, string], { key: string; value: Buffer }>(
      'SELECT key, value FROM records WHERE key >= ? AND key < ? ORDER BY key'
    )
    const read = database.transaction(() => prefixes.flatMap((prefix) => under.all(prefix, prefix + LAST_CHARACTER)))
    return new Map(read().map(({ key, value }) => [key, new Uint8Array(value)]))
  })
}

/** The layout of a database that this version can read or move forward. Throws as {@link readSnapshot}. */
export function readSchemaVersion(file: string): number {
  return readBeside(file, schemaVersion)
}

function readBeside<T>(file: string, read: (database: Database.Database) => T): T {
  if (!existsSync(file))
    throw new StoreError(
      'failing',
      `${file} is not there: no daemon has used this directory. Name its data directory with --data-dir.`
    )
  let database: Database.Database | undefined
  try {
    database = openDatabase(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS })
    if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID)
      throw corruptError(file, 'it is a database, but not one of chronym')
    refuseNewer(database, file, SCHEMA_VERSION)
    return read(database)
  } catch (error) {
    throw toStoreError(error, file)
  } finally {
    database?.close()
  }
}
