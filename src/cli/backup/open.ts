/** The file of a backup, opened and verified: what `restore` and `backup check` have in common. */
import { readFileSync, statSync } from 'node:fs'
import { type BackupContents, decodeContents, MAX_PLAINTEXT_BYTES } from '../../backup/container.ts'
import { notASecretKey, openSealed, takesPassphrase, type Unlock } from '../../backup/encryption.ts'
import type { BackupSummary } from '../../backup/records.ts'
import { verifyContents, withoutMuteManifests } from '../../backup/verify.ts'
import { fromHex } from '../../protocol/encoding/bytes.ts'
import { NotUtf8Error } from '../../util/utf8.ts'
import type { Context } from '../context.ts'
import { inputFailure, messageOf, usageFailure } from '../failures/failure.ts'
import { readText, UNREADABLE_CURE } from '../input/files.ts'
import { passphraseOf, sealAgain } from '../input/questions.ts'
import { printable } from '../terminal/format.ts'
import { withPool } from '../vdf/kernel.ts'

export interface OpeningOptions {
  passphraseFile?: string
  identity?: string
}

interface OpenedBackup {
  readonly contents: BackupContents
  /** DIDs whose manifest a restore leaves out. */
  readonly mute: readonly string[]
  /** Replaces the file where other passphrases of the same length open it too. */
  readonly sealAgainIfFormer: () => Promise<void>
}

/** Asks for the passphrase where no option has the key. Rejects with BackupError `damaged`. */
export async function openBackup(context: Context, options: OpeningOptions, file: string): Promise<OpenedBackup> {
  const bytes = readBackup(file)
  const unlock = await unlockOf(context, options, bytes)
  const { plaintext, isByFormerReading } = await openSealed(bytes, unlock)
  return {
    ...withoutMuteManifests(decodeContents(plaintext)),
    sealAgainIfFormer: async () => {
      if (isByFormerReading && 'passphrase' in unlock) await sealAgain(context, file, plaintext, unlock.passphrase)
    }
  }
}

/** Verifies pulses and proofs with the native addon, on separate threads. */
export function verified(contents: BackupContents): Promise<BackupSummary> {
  return withPool((pool) => {
    const publicKey = fromHex(contents.profile.beacon.public_key)
    return verifyContents(contents, {
      verifyPulse: ({ round, signature }) => pool.verifyPulse({ publicKey, round, signature }),
      verifyProof: (check) => pool.verifyProof(check)
    })
  })
}

export function summaryLines({ names, drafts, identities, tasks }: BackupSummary): string[] {
  return [
    ...names.map(
      ({ name, serial, draft }) => `  ${printable(name)}  serial ${serial}${draft ? ', with a zone draft' : ''}`
    ),
    ...drafts.map((name) => `  ${printable(name)}  a zone draft only`),
    ...identities.map(
      ({ did, version, index }) =>
        `  ${printable(did)}  version ${version}, ${index === null ? 'keys of another seed' : `key index ${index}`}`
    ),
    ...tasks.map(({ name, kind }) => `  task: ${kind} ${printable(name)}`)
  ]
}

function readBackup(file: string): Buffer {
  try {
    const { size } = statSync(file)
    // Read into memory whole; the exact bound is checked where it is decrypted.
    if (size > 2 * MAX_PLAINTEXT_BYTES) throw new Error(`it has ${size} bytes, more than any backup`)
    return readFileSync(file)
  } catch (error) {
    throw inputFailure(`${file} can't be read: ${messageOf(error)}`, UNREADABLE_CURE, error)
  }
}

async function unlockOf(
  context: Context,
  { passphraseFile, identity }: OpeningOptions,
  bytes: Uint8Array
): Promise<Unlock> {
  if (passphraseFile !== undefined && identity !== undefined)
    throw usageFailure('--passphrase-file and --identity exclude each other')
  if (identity !== undefined) return { identities: await secretKeys(context, identity) }
  if (passphraseFile === undefined && !(await takesPassphrase(bytes)))
    throw usageFailure('this backup is for a secret key of age', 'Give its file with --identity.')
  return { passphrase: await passphraseOf(context, passphraseFile, 'Passphrase of the backup') }
}

/** As `age-keygen` writes them: a key a line, comments with #. */
async function secretKeys(context: Context, file: string): Promise<string[]> {
  const text = await readText(file, context.stdin).catch((error: unknown) => {
    throw (error as Error).cause instanceof NotUtf8Error ? notASecretKey(error) : error
  })
  return text
    .split(/\r?\n/u)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}
