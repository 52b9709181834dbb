/** Whether a copy of the seed exists elsewhere: the daemon, `chronym doctor` and the dashboard remind of it. */
import { rmSync } from 'node:fs'
import { readIfThere } from './seed-files.ts'
import type { DataPaths } from './paths.ts'
import { writePrivateFile } from './private-files.ts'

/** The content of `backup-state.json`. Each way to keep a seed has a field of its own; none holds a secret. */
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
  /** SHA-256 of the file, in hexadecimal; more than one while it is replaced, so that a crash leaves a known file. */
  readonly sha256: readonly string[]
  /** SHA-256 of its contents; undefined before the first was written whole. */
  readonly contents?: string
  /** RFC 3339. */
  readonly written_at?: string
}

/** Each alone makes a seed safe. */
const WAYS: readonly (keyof BackupState)[] = ['words_checked_at', 'backed_up_at']

/** Empty where the file is missing or unreadable: one more reminder does no harm. */
export function readBackupState({ backupState }: Pick<DataPaths, 'backupState'>): BackupState {
  try {
    const state = JSON.parse(readIfThere(backupState) ?? '{}') as unknown
    return typeof state === 'object' && state !== null ? state : {}
  } catch {
    return {}
  }
}

/** Adds to the notes; durable when it returns. */
export function noteBackup(paths: Pick<DataPaths, 'backupState'>, change: BackupState): void {
  writePrivateFile(paths.backupState, `${JSON.stringify({ ...readBackupState(paths), ...change })}\n`)
}

/** Notes about a former seed do not apply to a new one. */
export function forgetBackups({ backupState }: Pick<DataPaths, 'backupState'>): void {
  rmSync(backupState, { force: true })
}

export function isSeedSafe(paths: Pick<DataPaths, 'backupState'>): boolean {
  const state = readBackupState(paths)
  return WAYS.some((way) => typeof state[way] === 'string')
}
