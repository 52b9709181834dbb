import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { openDatabase } from './database.ts'
import { toStoreError } from './sqlite-errors.ts'
import { StoreError } from './types.ts'

const LOCK_FILE = 'lock.db'
const PID_FILE = 'lock.pid'

export interface DirectoryLock {
  /** Writes its holder into a file, for the message that others get. Throws StoreError `failing`. */
  announce(): void
  /** Where nothing was announced, the directory is byte for byte what it was. */
  release(): void
}

/**
 * Takes the lock of a data directory until `release` or the end of the process.
 * The lock is SQLite's own on an otherwise empty database: the operating system frees it when the process dies, so none
 * can be stale. The file with the pid beside it only serves the message. Throws StoreError `locked` or `failing`.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const file = join(directory, LOCK_FILE)
  const pidFile = join(directory, PID_FILE)
  const isNew = !existsSync(file)
  let announced = false
  let database: Database.Database | undefined
  try {
    database = openDatabase(file, { timeout: 0 })
    // Nothing is ever written, so no journal is needed beside it.
    database.pragma('journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
    if (isNew) chmodSync(file, 0o600)
  } catch (error) {
    database?.close()
    const known = toStoreError(error, file)
    if (known instanceof StoreError && known.code === 'locked') throw lockedError(directory, pidFile, known)
    if (known instanceof StoreError) throw known
    throw unusableError(directory, error as Error)
  }
  const held = database
  return {
    announce() {
      announced = true
      try {
        // A link in its place would have another file overwritten.
        rmSync(pidFile, { force: true })
        writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600, flag: 'wx' })
      } catch (error) {
        throw unusableError(directory, error as Error)
      }
    },
    release() {
      if (announced) rmSync(pidFile, { force: true })
      else if (isNew) rmSync(file, { force: true })
      held.close()
    }
  }
}

function unusableError(directory: string, cause: Error): StoreError {
  return new StoreError(
    'failing',
    `${directory} cannot be used: ${cause.message}. Check its permissions and the disk.`,
    { cause }
  )
}

function lockedError(directory: string, pidFile: string, cause: Error): StoreError {
  const owner = readOwner(pidFile)
  const who = owner === undefined ? 'another process' : `another daemon (process ${owner})`
  return new StoreError(
    'locked',
    `${directory} is in use by ${who}. Stop it, or choose another directory with --data-dir.`,
    { cause }
  )
}

function readOwner(pidFile: string): string | undefined {
  try {
    return readFileSync(pidFile, 'utf8').trim() || undefined
  } catch {
    // The other process may be between taking the lock and writing its pid; the message then omits it.
    return undefined
  }
}
