/** The lock on a data directory itself, which needs the addon: Node locks no files. */
import { addon, type DirectoryLock } from './addon.ts'
import { NativeError } from './errors.ts'

/** Undefined where no addon can be used. */
export function tryLockDirectory(path: string): DirectoryLock | undefined {
  try {
    return new (addon().DirectoryLock)(path)
  } catch (error) {
    if (error instanceof NativeError) return undefined
    throw error
  }
}
