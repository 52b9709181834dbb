/** Opens SQLite files with the binding that belongs to this installation. */
import Database from 'better-sqlite3'
import { missingCure, platformFile } from '../native/platform.ts'
import { StoreError, type StoreErrorCode } from './types.ts'

/** A package for users leaves the bindings of all platforms out, and the platform's own package has one. */
const BINDING = 'better_sqlite3.node'

/** Throws SqliteError, and StoreError `failing` where no binding is installed. */
export function openDatabase(file: string, options: Database.Options = {}): Database.Database {
  const nativeBinding = platformFile(BINDING)
  try {
    return new Database(file, nativeBinding === undefined ? options : { ...options, nativeBinding })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw new StoreError(
      'failing',
      `The database library SQLite is not installed for ${process.platform}-${process.arch}. ` +
        missingCure(import.meta.url.endsWith('.ts')),
      { cause: error }
    )
  }
}

/** Primary and extended result codes: https://www.sqlite.org/rescode.html */
function classify(code: string): keyof typeof CURES {
  // The shared-memory file beside the WAL could not grow.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE') return 'full'
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return 'corrupt'
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'locked'
  return 'failing'
}

const CURES: Readonly<Record<Exclude<StoreErrorCode, 'newer'>, string>> = {
  full: 'There is no space left for it. Free some; nothing that was stored before is lost.',
  corrupt:
    'It is damaged. Stop the daemon, move the file and those named after it ' +
    '(-wal, -shm) aside, and restore a backup; nothing was deleted.',
  locked: 'Another process holds it. Stop that process.',
  failing:
    'Check the disk, its free space and the permissions of the directory; nothing that was stored before is lost.'
}

/** Any error of the database library as a StoreError; others unchanged. */
export function toStoreError(error: unknown, file: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  const code = classify(error.code)
  return new StoreError(code, `${file}: ${error.message} (${error.code}). ${CURES[code]}`, { cause: error })
}

export function corruptError(file: string, finding: string): StoreError {
  return new StoreError('corrupt', `${file}: ${finding}. ${CURES.corrupt}`)
}
