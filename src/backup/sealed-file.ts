import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { messageOf } from '../protocol/errors.ts'
import { syncDirectory } from '../util/durable-directories.ts'
import { BackupError } from './errors.ts'

/** Throws BackupError `occupied` where there is something, so that no backup replaces another. */
export function requireNoFile(file: string): void {
  if (existsSync(file))
    throw new BackupError('occupied', `${file} exists already`, 'Name another file, or replace this one with --force.')
}

/**
 * Mode 0600, by temporary file, fsync and rename: the former file or the new one, never half of one. Throws BackupError
 * `occupied`.
 */
export function writeSealedFile(file: string, bytes: Uint8Array): void {
  const place = resolve(file)
  const temporary = join(dirname(place), `.${basename(place)}.${process.pid}.tmp`)
  try {
    if (existsSync(place) && !statSync(place).isFile()) throw new Error('it is not a file')
    writeFileSync(temporary, bytes, { mode: 0o600, flush: true })
    renameSync(temporary, place)
    syncDirectory(dirname(place))
  } catch (error) {
    rmSync(temporary, { force: true })
    throw new BackupError(
      'occupied',
      `${file} can't be written: ${messageOf(error)}`,
      'Check the directory and the space on its disk, or name another file.',
      { cause: error }
    )
  }
}
