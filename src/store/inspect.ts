import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { corruptError, openDatabase, toStoreError } from './database.ts'
import { lockDirectory } from './lock.ts'
import { APPLICATION_ID, refuseNewer, SCHEMA_VERSION, schemaVersion } from './migrate.ts'
import { SqliteStore } from './sqlite-store.ts'
import { type StoreContents, StoreError } from './types.ts'

/** A crash while the database was made leaves its journal; only a writer can roll it back. */
const NEEDS_A_WRITER = 'SQLITE_READONLY_ROLLBACK'

/**
 * Shows what a database holds, and changes neither it nor the files beside it. Only for holders of the directory's
 * lock.
 * @param look gets undefined where there is no database yet. What it throws is passed on.
 * @param known the newest version that the caller reads
 * @returns false where only a writer can read the file: `look` was not called.
 * Throws StoreError or SqliteError.
 */
export function inspectDatabase(
  file: string,
  look: (contents: StoreContents | undefined) => void,
  known = SCHEMA_VERSION
): boolean {
  // SQLite would wait for the other end of a FIFO.
  for (const part of [file, `${file}-wal`, `${file}-shm`])
    if (statSync(part, { throwIfNoEntry: false })?.isFile() === false) throw corruptError(part, 'it is not a file')
  if (!existsSync(file)) {
    look(undefined)
    return true
  }
  // A reader makes the log and its index where they are missing, and rebuilds the index; it never writes the database
  // or the log.
  const log = `${file}-wal`
  const index = `${file}-shm`
  const hadLog = existsSync(log)
  const formerIndex = existsSync(index) ? readFileSync(index) : undefined
  let database: Database.Database | undefined
  try {
    database = openDatabase(file, { readonly: true, fileMustExist: true })
    look(
      checkSchema(database, file, known) === 'empty'
        ? undefined
        : new SqliteStore(database, file, {
            check: () => undefined,
            onSetAside: () => undefined,
            onBefore: () => undefined,
            onChange: () => undefined,
            onLateFailure: () => undefined,
            onClose: () => undefined
          })
    )
    return true
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === NEEDS_A_WRITER) return false
    throw error
  } finally {
    database?.close()
    if (!hadLog) rmSync(log, { force: true })
    if (formerIndex === undefined) rmSync(index, { force: true })
    else writeFileSync(index, formerIndex)
  }
}

/**
 * Inspects a directory under its lock, without opening it for use, then does under the lock what `look` returns.
 * Where `look` throws, the directory is unchanged. Throws StoreError, or what the two throw.
 */
export function visitDirectory<T>(file: string, look: (contents: StoreContents | undefined) => () => T): T {
  const lock = lockDirectory(dirname(file))
  try {
    let act: (() => T) | undefined
    inspectDatabase(file, (contents) => {
      act = look(contents)
    })
    if (act === undefined) throw corruptError(file, 'a crash cut off the first start, and its journal is still there')
    return act()
  } catch (error) {
    throw toStoreError(error, file)
  } finally {
    lock.release()
  }
}

/** Throws StoreError: `corrupt` for another program's database, `newer` for one of a newer version. */
export function checkSchema(database: Database.Database, file: string, known = SCHEMA_VERSION): 'empty' | 'ours' {
  const application = database.pragma('application_id', { simple: true })
  if (application === 0 && schemaVersion(database) === 0) return 'empty'
  if (application !== APPLICATION_ID) throw corruptError(file, 'it is a database, but not one of chronym')
  refuseNewer(database, file, known)
  return 'ours'
}

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
