import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Leaves the former file or the new one, also after a crash. Rejects with the former one in place. */
export async function replaceFile(directory: string, name: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(directory, 'state.tmp')
  try {
    const file = await open(temporary, 'w', 0o600)
    try {
      // Unlike `write`, it continues after a short write: on a nearly full disk half a state must not replace a whole
      // one.
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, join(directory, name))
    await syncDirectory(directory)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** A rename is durable once its directory is; Windows can't open directories and needs none of it. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
