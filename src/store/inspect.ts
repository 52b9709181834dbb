import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { openDatabase } from './database.ts'
import { lockDirectory } from './lock.ts'
import { refuseNewer, schemaVersion } from './migrate.ts'
import { APPLICATION_ID, SCHEMA_VERSION } from './schema.ts'
import { corruptError, toStoreError } from './sqlite-errors.ts'
import { SqliteStore } from './sqlite-store.ts'
import type { StoreContents } from './types.ts'

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
    if (statSync(part, { throwIfNoEntry: false })?.isFile() === false) throw corruptError(part, 'it is no file')
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
