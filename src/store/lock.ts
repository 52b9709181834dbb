import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { tryLockDirectory } from '../native/addon.ts'
import { AT_ONCE, fileIdentity } from '../util/files.ts'
import { openDatabase, toStoreError } from './database.ts'
import { StoreError, type Disturbance } from './types.ts'
import { readTextFile } from '../util/utf8.ts'

const LOCK_FILE = 'lock.db'
const PID_FILE = 'lock.pid'

export interface DirectoryLock {
  /** Writes its holder into a file, for the message that others get. Throws StoreError `failing`. */
  announce(): void
  /**
   * What became of the directory, of the lock and of the database since the first call; undefined where all are in
   * their place. Makes a lost lock again. Never throws.
   */
  check(database: string): Disturbance | undefined
  /** Whether the path still leads to this directory. */
  isInPlace(): boolean
  /** Where nothing was announced, the directory is byte for byte what it was. */
  release(): void
}

/**
 * Takes the lock of a data directory until `release` or the end of the process.
 * There are two. One is on the directory itself, so that it outlives each file in it; it needs the addon and a system
 * that can lock directories. The other is SQLite's on an otherwise empty database. The operating system frees both when
 * the process dies, so none can be stale. The file with the pid beside it only serves the message. Throws StoreError
 * `locked` or `failing`.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const file = join(directory, LOCK_FILE)
  const pidFile = join(directory, PID_FILE)
  const isNew = !existsSync(file)
  let announced = false
  let held: Database.Database
  const onDirectory = tryLockDirectory(directory)
  if (onDirectory?.isTaken() === true) throw lockedError(directory, pidFile)
  try {
    held = lockFile(file)
  } catch (error) {
    onDirectory?.release()
    const known = toStoreError(error, file)
    if (known instanceof StoreError && known.code === 'locked') throw lockedError(directory, pidFile, known)
    if (known instanceof StoreError) throw known
    throw unusableError(directory, error as Error)
  }
  const places = new Map<string, string>()
  const isInPlace = (path: string): boolean => {
    const identity = identityIfThere(path)
    const known = places.get(path) ?? identity
    if (known !== undefined) places.set(path, known)
    return identity === known
  }
  return {
    check(databaseFile) {
      try {
        if (!isInPlace(directory)) return fatal(`${directory} was moved or deleted`)
        if (!isInPlace(databaseFile)) return fatal(`${databaseFile} was moved, replaced or deleted`)
        if (isInPlace(file)) return undefined
        const again = lockFile(file)
        held.close()
        held = again
        places.delete(file)
        isInPlace(file)
        return { message: `${file} was deleted or replaced; it is made and locked again`, isFatal: false }
      } catch (error) {
        const known = toStoreError(error, file)
        const isTaken = known instanceof StoreError && known.code === 'locked'
        // The disk may fail for a moment, and the files be there.
        return isTaken ? fatal(`${file} was deleted, and another daemon took ${directory}`) : undefined
      }
    },
    isInPlace: () => isInPlace(directory),
    announce() {
      try {
        // A link in its place would have another file overwritten.
        rmSync(pidFile, { force: true })
        writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600, flag: 'wx' })
        announced = true
      } catch (error) {
        throw unusableError(directory, error as Error)
      }
    },
    release() {
      // Another daemon may have the place by now.
      try {
        if (isInPlace(directory) && (announced || isNew)) rmSync(announced ? pidFile : file, { force: true })
      } finally {
        held.close()
        onDirectory?.release()
      }
    }
  }
}

/** Throws SqliteError, and the system's error. */
function lockFile(file: string): Database.Database {
  const isNew = !existsSync(file)
  const database = openDatabase(file, { timeout: 0 })
  try {
    // Nothing is ever written, so no journal is needed beside it.
    database.pragma('journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
    if (isNew) chmodSync(file, 0o600)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Undefined where nothing is there. Throws where that cannot be told. */
function identityIfThere(path: string): string | undefined {
  try {
    return fileIdentity(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

function fatal(what: string): Disturbance {
  return { message: `${what} while the daemon uses it`, isFatal: true }
}

function unusableError(directory: string, cause: Error): StoreError {
  return new StoreError(
    'failing',
    `${directory} cannot be used: ${cause.message}. Check its permissions and the disk.`,
    { cause }
  )
}

function lockedError(directory: string, pidFile: string, cause?: Error): StoreError {
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
    return readTextFile(pidFile, AT_ONCE).trim() || undefined
  } catch {
    // The other process may be between taking the lock and writing its pid; the message then omits it.
    return undefined
  }
}
