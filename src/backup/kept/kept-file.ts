/** The backup that the daemon keeps up to date: one attempt to write it. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import type { DataPaths } from '../../data-directory/paths.ts'
import { messageOf } from '../../protocol/errors.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile/profile.ts'
import { noteBackup, readBackupState, type KeptBackup } from '../../data-directory/seed-safety.ts'
import { type BackupContents, BackupError, decodeContents, encodeContents, MAX_PLAINTEXT_BYTES } from '../container.ts'
import { encrypt, isAgeFile, writeSealedFile } from '../encryption.ts'
import { makeContents } from '../make.ts'

/** Each crash between the file and its note leaves one more. */
const MAX_KNOWN = 8

export interface KeepRequest {
  readonly paths: DataPaths
  readonly profile: NetworkProfile
  /** 32 bytes, of a sealed seed; undefined: the words are in clear. In memory only. */
  readonly seed?: Uint8Array | undefined
  /** Absolute path. */
  readonly file: string
  /** Public keys of age; at least one. */
  readonly recipients: readonly string[]
  /** Milliseconds since the epoch. */
  readonly nowMs: number
  readonly isForced: boolean
}

export interface KeepResult {
  /** False where the file there holds all of it already. */
  readonly isWritten: boolean
  readonly bytes: number
  /** Keys of unreadable records, which no backup holds. */
  readonly leftOut: readonly string[]
}

/**
 * Writes the kept backup unless it is there with the same contents.
 * It replaces only a file that this directory wrote. After the loss of a directory, an empty daemon with the same
 * configuration must not replace the one backup of the names.
 * Throws BackupError `occupied`, `source` or `network`, StoreError, or an error of the system; then the file is
 * unchanged.
 */
export async function keepBackup({
  paths,
  profile,
  seed,
  file,
  recipients,
  nowMs,
  isForced
}: KeepRequest): Promise<KeepResult> {
  const noted = readBackupState(paths).kept_backup
  const kept = noted?.file === file ? noted : undefined
  const present = readPresent(file, kept)
  const { contents, leftOut } = await makeContents(paths, { seed, tasks: false, nowMs, networks: [profile] })
  const left = leftOut.map(({ key }) => key)
  const digest = contentsDigest(contents, recipients)
  if (!isForced && present !== undefined && kept?.contents === digest)
    return { isWritten: false, bytes: 0, leftOut: left }
  const plaintext = encodeContents(contents)
  // A backup that a restore would refuse is worth nothing.
  decodeContents(plaintext)
  const sealed = await encrypt(plaintext, { recipients })
  const hash = sha256(sealed)
  // Before the file: after a crash past the rename, the file must not look foreign.
  const known = kept?.sha256 ?? []
  const without = { file, sha256: known, ...(kept?.written_at !== undefined && { written_at: kept.written_at }) }
  noteBackup(paths, { kept_backup: { ...without, sha256: [...known, hash].slice(-MAX_KNOWN) } })
  try {
    writeSealedFile(file, sealed)
  } catch (error) {
    // Attempts on a missing disk must not evict the hash of the file on it.
    noteBackup(paths, { kept_backup: without })
    throw error
  }
  const writtenAt = new Date(nowMs).toISOString()
  noteBackup(paths, {
    backed_up_at: writtenAt,
    kept_backup: { file, sha256: [hash], contents: digest, written_at: writtenAt }
  })
  return { isWritten: true, bytes: sealed.length, leftOut: left }
}

/**
 * SHA-256 of the file; undefined where there is none. Throws BackupError `occupied` for one that this directory did not
 * write.
 */
function readPresent(file: string, kept: KeptBackup | undefined): string | undefined {
  if (!existsSync(file)) return undefined
  const bytes = readBounded(file)
  if (!isAgeFile(bytes))
    throw new BackupError(
      'occupied',
      `${file} is not a backup: it does not begin with age-encryption.org/v1`,
      'Move it away, or name another file in backup.file. It was not changed.'
    )
  const hash = sha256(bytes)
  if (kept?.sha256.includes(hash) === true) return hash
  throw new BackupError(
    'occupied',
    `${file} was not written by the daemon of this data directory: it may be the only backup of other names`,
    'Move it away, or name another file in backup.file; restore it first where it holds your names. It was not changed.'
  )
}

function readBounded(file: string): Uint8Array {
  try {
    const { size } = statSync(file)
    if (size > 2 * MAX_PLAINTEXT_BYTES) throw new Error(`it has ${size} bytes, more than any backup`)
    return readFileSync(file)
  } catch (error) {
    throw new BackupError(
      'occupied',
      `${file} exists but can't be read: ${messageOf(error)}`,
      'Move it away, or name another file in backup.file.',
      { cause: error }
    )
  }
}

/**
 * Of the backup's contents without the time: two of the same need no second file. The words are left out, so that the
 * note holds nothing of a secret.
 */
function contentsDigest({ records, profile, program }: BackupContents, recipients: readonly string[]): string {
  const hash = createHash('sha256')
    .update(profileHash(profile))
    .update(JSON.stringify([program, recipients]))
  for (const [key, value] of records) hash.update(JSON.stringify([key, value.length])).update(value)
  return hash.digest('hex')
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
