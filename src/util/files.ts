/** Files and directories: made to outlast a power failure, told from others, opened without waiting. */
import { closeSync, constants, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a directory (mode 0700) and those above it, each durable in the one above. Where one can't be made, the error
 * names it. Node's own `recursive` never returns where a file system answers ENOENT to `mkdir`, as /proc does.
 */
export function makeDirectories(path: string): void {
  const missing: string[] = []
  for (let place = resolve(path); !isDirectory(place); place = dirname(place)) missing.unshift(place)
  for (const place of missing) {
    makeDirectory(place)
    syncDirectory(dirname(place))
  }
}

/** False too where that cannot be told. */
export function isDirectory(place: string): boolean {
  try {
    return statSync(place).isDirectory()
  } catch {
    return false
  }
}

function makeDirectory(place: string): void {
  try {
    mkdirSync(place, { mode: 0o700 })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    // Another process was quicker. A link into nothing exists too, and is not a directory.
    if (code === 'EEXIST' && isDirectory(place)) return
    const reason =
      code === 'ENOENT'
        ? `the file system of ${dirname(place)} takes no new directories`
        : code === 'EEXIST'
          ? 'what has that name is not a directory'
          : message
    throw Object.assign(new Error(`${place} can't be made: ${reason}`, { cause }), { code })
  }
}

/** Makes durable which files a directory holds. Windows can't open directories: there the change itself must do. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Device and inode of a file or directory as text: a path can lead to another one later. Throws the system's error. */
export function fileIdentity(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev}:${ino}`
}

/** Opens to read without waiting: a FIFO in place of a file has no bytes, in place of hanging until somebody writes. */
export const AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK
