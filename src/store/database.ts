/** Opens SQLite files with the binding that belongs to this installation. */
import Database from 'better-sqlite3'
import { missingCure, platformFile } from '../native/platform-package.ts'
import { StoreError } from './types.ts'

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
