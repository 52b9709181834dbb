/**
 * Whether the seed of a directory is anywhere else than in it: what the daemon, `chronym doctor` and the dashboard
 * remind of.
 */
import { rmSync } from 'node:fs'
import { readIfThere } from './owner-seed.ts'
import { writePrivateFile, type DataPaths } from './paths.ts'

/** What `backup-state.json` says. Each way to keep a seed has a field of its own; none holds a secret. */
export interface BackupState {
  /** RFC 3339: when somebody last gave the 24 words, and they were right. */
  readonly words_checked_at?: string
  /** RFC 3339: when a backup file that holds the seed was last written. */
  readonly backed_up_at?: string
  /** The file that the daemon keeps up to date (`backup.file`). */
  readonly kept_backup?: KeptBackup
}

/** What this directory wrote to its kept backup file: it replaces no other. */
export interface KeptBackup {
  readonly file: string
  /**
   * SHA-256 of the file, in hexadecimal; more than one while it is replaced, so that a crash leaves a file that is
   * known.
   */
  readonly sha256: readonly string[]
  /** SHA-256 of what is in it; undefined before the first was written whole. */
  readonly contents?: string
  /** RFC 3339. */
  readonly written_at?: string
}

/** Each alone makes a seed safe. */
const WAYS: readonly (keyof BackupState)[] = ['words_checked_at', 'backed_up_at']

/** Empty where there is no file, or one that cannot be read: being reminded once more does no harm. */
export function readBackupState({ backupState }: Pick<DataPaths, 'backupState'>): BackupState {
  try {
    const state = JSON.parse(readIfThere(backupState) ?? '{}') as unknown
    return typeof state === 'object' && state !== null ? state : {}
  } catch {
    return {}
  }
}

/** Adds to what is noted; durable when it returns. */
export function noteBackup(paths: Pick<DataPaths, 'backupState'>, change: BackupState): void {
  writePrivateFile(paths.backupState, `${JSON.stringify({ ...readBackupState(paths), ...change })}\n`)
}

/** What was noted of a former seed says nothing of a new one. */
export function forgetBackups({ backupState }: Pick<DataPaths, 'backupState'>): void {
  rmSync(backupState, { force: true })
}

/** Whether the seed is known to be somewhere else too. */
export function isSeedSafe(paths: Pick<DataPaths, 'backupState'>): boolean {
  const state = readBackupState(paths)
  return WAYS.some((way) => typeof state[way] === 'string')
}
