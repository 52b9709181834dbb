import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { decodeContents, encodeContents } from '../../backup/container.ts'
import { checkRecipient, encrypt, type Lock, requireNoFile, writeSealedFile } from '../../backup/encryption.ts'
import { makeContents } from '../../backup/make.ts'
import { summarize, type BackupSummary } from '../../backup/records.ts'
import { PROFILE_FILE } from '../../backup/restore.ts'
import { wordsToSeed } from '../../protocol/crypto/keys.ts'
import { messageOf } from '../../protocol/errors.ts'
import type { DataPaths } from '../../data-directory/paths.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { builtInProfiles } from '../../protocol/profile/built-in.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode, usageFailure } from '../failures/failure.ts'
import { noteBackup, readBackupState, type BackupState } from '../../data-directory/seed-safety.ts'
import { newPassphrase } from '../input/questions.ts'
import { aboutDirectory, ownSeed } from '../key/seed.ts'
import { loadProfile, localPaths } from '../connection/location.ts'
import { plural } from '../../util/words.ts'
import { printable } from '../terminal/format.ts'

interface BackupOptions {
  passphraseFile?: string
  seedPassphraseFile?: string
  recipient?: string[]
  tasks?: boolean
  force?: boolean
  network?: string
}

const PASSPHRASE_CURE = 'Give --passphrase-file FILE, or --recipient with a public key of age.'

/** `chronym backup FILE`. Reads the data directory itself: the seed never goes through the HTTP interface. */
export async function runBackup(context: Context, options: BackupOptions, file: string): Promise<ExitCode> {
  const { recipient: recipients = [], passphraseFile, seedPassphraseFile } = options
  if (recipients.length > 0 && passphraseFile !== undefined)
    throw usageFailure(
      'a backup is under a passphrase or for recipients, not both',
      'Give one of --passphrase-file and --recipient.'
    )
  for (const recipient of recipients) await checkRecipient(recipient)
  if (options.force !== true) requireNoFile(file)
  const paths = localPaths(context)
  if (passphraseFile === '-' && seedPassphraseFile === '-')
    throw usageFailure('only one passphrase can come from standard input')
  const seed = (await ownSeed(context, paths, seedPassphraseFile))?.seed
  const { contents, leftOut } = await makeContents(paths, {
    seed,
    tasks: options.tasks === true,
    nowMs: Date.now(),
    networks: networksOf(context, options, paths)
  })
  const plaintext = encodeContents(contents)
  // Verifies that a restore would accept it.
  decodeContents(plaintext)
  const lock: Lock =
    recipients.length > 0
      ? { recipients }
      : { passphrase: await newPassphrase(context, passphraseFile, 'Passphrase for the backup', PASSPHRASE_CURE) }
  const sealed = await encrypt(plaintext, lock)
  writeSealedFile(file, sealed)
  const createdAt = new Date(contents.createdMs).toISOString()
  try {
    noteBackup(paths, { backed_up_at: createdAt, ...replacedKept(paths, file, sealed) })
  } catch (error) {
    // The backup is whole by now. Without the note there is one more reminder.
    context.output.note(`warning: the backup is whole, but the data directory can't note it: ${messageOf(error)}`)
  }
  const summary = summarize(contents.records, { profile: contents.profile, masterSeed: wordsToSeed(contents.words) })
  for (const { key, reason } of leftOut)
    context.output.note(`left out, since it can't be read: ${printable(key)} (${printable(reason)})`)
  if (isInside(file, paths.root))
    context.output.note(`${file} is inside the data directory: it is lost with it. Keep a copy elsewhere.`)
  const answer = {
    file,
    bytes: sealed.length,
    created_at: createdAt,
    network: contents.profile.id,
    ...summary,
    left_out: leftOut
  }
  context.output.answer(
    answer,
    () =>
      `${file}: ${contentsText(summary)}, network ${contents.profile.id}\n` +
      `of ${aboutDirectory(paths, summary.names.length)}`
  )
  if (summary.names.length + summary.identities.length + summary.drafts.length > 0) return EXIT.ok
  context.output.note(
    `warning: there is nothing in this backup but a seed: ${aboutDirectory(paths, 0)}. If your names are in another ` +
      'directory, name it with --data-dir'
  )
  return EXIT.empty
}

/**
 * Those that the directory may belong to: the one named, or the built-in ones, the configuration's, and the one that a
 * restore put there.
 */
function networksOf(context: Context, { network }: BackupOptions, { root }: DataPaths): NetworkProfile[] {
  if (network !== undefined) return [loadProfile(context, network)]
  const own = join(root, PROFILE_FILE)
  return [
    ...new Set([
      ...Object.values(builtInProfiles),
      loadProfile(context, undefined),
      ...(existsSync(own) ? [loadProfile(context, own)] : [])
    ])
  ]
}

export function contentsText({ names, identities, drafts, tasks, proofs }: BackupSummary): string {
  const draftCount = drafts.length + names.filter(({ draft }) => draft).length
  const parts = [
    'the seed',
    plural(names.length, 'name'),
    plural(identities.length, 'identity', 'identities'),
    plural(draftCount, 'zone draft'),
    ...(proofs > 0 ? [plural(proofs, 'finished proof')] : []),
    ...(tasks.length > 0 ? [plural(tasks.length, 'running task')] : [])
  ]
  return parts.join(', ')
}

/** The file that the daemon keeps, written by hand: it is this directory's still, so the daemon may replace it. */
function replacedKept(paths: DataPaths, file: string, sealed: Uint8Array): Pick<BackupState, 'kept_backup'> {
  const kept = readBackupState(paths).kept_backup
  if (kept?.file !== resolve(file)) return {}
  return { kept_backup: { file: kept.file, sha256: [createHash('sha256').update(sealed).digest('hex')] } }
}

function isInside(file: string, directory: string): boolean {
  const way = relative(resolve(directory), resolve(file))
  return way !== '' && !way.startsWith('..') && !isAbsolute(way)
}
