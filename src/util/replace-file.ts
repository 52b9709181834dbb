/** Files that a crash leaves as they were or as they shall be: a temporary file, fsync, rename, fsync of the directory. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncDirectory } from './files.ts'

/** Nobody can have the temporary file open: its name is random, and it is refused where it exists. */
export function replaceFileSync(path: string, content: string | Uint8Array, mode: number): void {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`)
  try {
    const file = openSync(temporary, 'wx', mode)
    try {
      keepOwner(file, dirname(path))
      // Unlike `writeSync`, it continues after a short write: on a nearly full disk half a seed must not replace a whole
      // one.
      writeFileSync(file, content)
      fchmodSync(file, mode)
    } finally {
      closeSync(file)
    }
    moveIntoPlace(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(temporary, { force: true })
    throw error
  }
}

/** What root writes belongs to the owner of the directory: a daemon of that user could not read root's file. */
function keepOwner(file: number, directory: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(directory)
  if (uid !== 0) fchownSync(file, uid, gid)
}

/** Makes a file that is written, and is on the same disk, the one at `path`. */
export function moveIntoPlace(temporary: string, path: string): void {
  const file = openSync(temporary, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  syncDirectory(dirname(path))
}

/** As {@link replaceFileSync}, off the event loop, for what one task alone writes into its directory. */
export async function replaceFile(directory: string, name: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(directory, 'state.tmp')
  try {
    const file = await open(temporary, 'w', 0o600)
    try {
      // As above: `write` may be short.
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, join(directory, name))
    await syncDirectoryLater(directory)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function syncDirectoryLater(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
