import { readFileSync, statSync } from 'node:fs'
import { decodeContents, MAX_PLAINTEXT_BYTES } from '../../backup/container.ts'
import { decrypt, takesPassphrase, type Unlock } from '../../backup/encryption.ts'
import type { BackupSummary } from '../../backup/records.ts'
import { shellWord } from '../../util/shell-commands.ts'
import { requireEmptyDirectory, writeDirectory } from '../../backup/restore.ts'
import { sealSeed } from '../../backup/sealed-seed.ts'
import { verifyContents } from '../../backup/verify.ts'
import { fromHex } from '../../protocol/encoding/bytes.ts'
import { wordsToSeed } from '../../protocol/crypto/keys.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Checkers } from '../../protocol/claim/valid.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../failures/exit-codes.ts'
import { inputFailure, messageOf, usageFailure } from '../failures/failure.ts'
import { readText } from '../input/files.ts'
import { askSecret, newPassphrase, readSecretFile } from '../input/secret.ts'
import { formatRelative, printable } from '../terminal/format.ts'
import { withPool } from '../vdf/native-kernel.ts'
import { contentsText } from './create.ts'
import { requireNetworkAskedFor, requireOriginalGone, targetDirectory } from './target.ts'

export interface RestoreOptions {
  words?: boolean
  name?: string[]
  did?: string[]
  passphraseFile?: string
  seedPassphraseFile?: string
  identity?: string
  network?: string
  yes?: boolean
}

/** `chronym restore FILE`: everything is verified before anything is written. */
export async function restoreFile(context: Context, options: RestoreOptions, file: string): Promise<ExitCode> {
  const bytes = readBackup(file)
  const contents = decodeContents(await decrypt(bytes, await unlockOf(context, options, bytes)))
  const { profile } = contents
  requireNetworkAskedFor(context, options.network, profile)
  const root = targetDirectory(context, profile)
  requireEmptyDirectory(root)
  const summary = await withChecks(profile, (checkers) => verifyContents(contents, checkers))
  const sealed = await sealedFor(context, options, wordsToSeed(contents.words))
  await requireOriginalGone(context, options.yes === true)
  const network = writeDirectory(root, contents, { sealed })
  const made = new Date(contents.createdMs).toISOString()
  context.output.answer({ data_dir: root, network, backup_created_at: made, ...summary }, () =>
    [
      `restored to ${root}: ${contentsText(summary)}`,
      ...lines(summary),
      `the backup was made ${formatRelative(made, Date.now())} (${made}); what is newer comes from the network`,
      startLine(root, network)
    ].join('\n')
  )
  return EXIT.ok
}

/** The sealed seed of the new directory, where a passphrase for it was given. */
export async function sealedFor(
  context: Context,
  { passphraseFile, identity, seedPassphraseFile }: RestoreOptions,
  seed: Uint8Array
): Promise<string | undefined> {
  if (seedPassphraseFile === undefined) return undefined
  if (seedPassphraseFile === '-' && (passphraseFile === '-' || identity === '-'))
    throw usageFailure('only one secret can come from standard input')
  return sealSeed(seed, await newPassphrase(context, seedPassphraseFile, { question: '', cure: '' }))
}

/** How the daemon of a restored directory is started. */
export function startLine(root: string, network: string): string {
  return `start it: chronym daemon --network ${shellWord(network)} --data-dir ${shellWord(root)}`
}

function lines({ names, drafts, identities, tasks }: BackupSummary): string[] {
  return [
    ...names.map(
      ({ name, serial, draft, list }) =>
        `  ${printable(name)}  serial ${serial}${draft ? ', with a zone draft' : ''}${list ? ', keeps the list of names' : ''}`
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
    throw inputFailure(`${file} can't be read: ${messageOf(error)}`, error)
  }
}

async function unlockOf(
  context: Context,
  { passphraseFile, identity }: RestoreOptions,
  bytes: Uint8Array
): Promise<Unlock> {
  if (passphraseFile !== undefined && identity !== undefined)
    throw usageFailure('--passphrase-file and --identity exclude each other')
  if (passphraseFile !== undefined) return { passphrase: await readSecretFile(context, passphraseFile) }
  if (identity !== undefined) return { identities: secretKeys(await readText(identity, context.stdin)) }
  if (!(await takesPassphrase(bytes)))
    throw usageFailure('this backup is for a secret key of age', 'Give its file with --identity.')
  return { passphrase: await askSecret(context, 'Passphrase of the backup', 'Give --passphrase-file FILE.') }
}

/** As `age-keygen` writes them: a key a line, comments with #. */
function secretKeys(text: string): string[] {
  return text
    .split(/\r?\n/u)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** Verifies pulses and proofs with the native addon, on separate threads. */
function withChecks<T>(profile: NetworkProfile, use: (checkers: Checkers) => Promise<T>): Promise<T> {
  return withPool((pool) => {
    const publicKey = fromHex(profile.beacon.public_key)
    return use({
      verifyPulse: ({ round, signature }) => pool.verifyPulse({ publicKey, round, signature }),
      verifyProof: (check) => pool.verifyProof(check)
    })
  })
}
