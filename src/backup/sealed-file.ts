import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { messageOf } from '../protocol/errors.ts'
import { writePrivateFile } from '../data-directory/private-files.ts'
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
  try {
    if (existsSync(place) && !statSync(place).isFile()) throw new Error('it is not a file')
    writePrivateFile(place, bytes)
  } catch (error) {
    throw new BackupError(
      'occupied',
      `${file} can't be written: ${messageOf(error)}`,
      'Check the directory and the space on its disk, or name another file.',
      { cause: error }
    )
  }
}
