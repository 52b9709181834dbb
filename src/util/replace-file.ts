/** Files that a crash leaves as they were or as they shall be: a temporary file, fsync, rename, fsync of the directory. */
import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncDirectory } from './files.ts'

/** Nobody can have the temporary file open: its name is random, and it is refused where it exists. */
export function replaceFileSync(path: string, content: string | Uint8Array, mode: number): void {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`)
  try {
    // Unlike `writeSync`, it continues after a short write: on a nearly full disk half a seed must not replace a whole
    // one.
    writeFileSync(temporary, content, { mode, flag: 'wx' })
    chmodSync(temporary, mode)
    moveIntoPlace(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(temporary, { force: true })
    throw error
  }
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
