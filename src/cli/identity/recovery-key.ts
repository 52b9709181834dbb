/** Keys made on a machine of their own: the secret is in a file that no daemon reads. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { encrypt, isAgeFile, openSealed, writeSealedFile } from '../../backup/encryption.ts'
import { BackupError } from '../../backup/container.ts'
import { decodeMultikey, encodeMultikey } from '../../protocol/identity/did.ts'
import { type KeyPair, keyPairFromSeed } from '../../protocol/crypto/ed25519.ts'
import { EncodingError, KeyError } from '../../protocol/errors.ts'
import { MASTER_SEED_BYTES, seedToWords, wordsToSeed } from '../../protocol/crypto/keys.ts'
import type { Context } from '../context.ts'
import { messageOf, usageFailure, inputFailure } from '../failures/failure.ts'
import { newPassphrase, passphraseOf, sealAgain } from '../input/questions.ts'
import { NotUtf8Error, textOfUtf8 } from '../../util/utf8.ts'

/** Bound on a file that a person may have typed; age adds a few hundred bytes. */
const MAX_FILE_BYTES = 16 * 1024

const PUBLIC_LINE = /^#\s*public key:\s*(\S+)\s*$/mu

export interface PassphraseOptions {
  passphrase?: boolean
  passphraseFile?: string
}

/** What a key is for, in words. */
export interface KeyUse {
  /** After "a". */
  readonly what: string
  /** The first line of its file. */
  readonly title: string
  /** The command that makes it. */
  readonly command: string
}

const RECOVERY: KeyUse = {
  what: 'recovery key',
  title: 'Recovery key of Chronym identities.',
  command: 'kid recovery-key'
}

/**
 * The public keys of `--recovery-key`, in the order given. CLI-USE-001, which quotes none: a text that is not a public key may be
 * a secret one.
 */
export function parseRecoveryKeys(texts: readonly string[]): Uint8Array[] {
  return texts.map((text) => {
    try {
      return decodeMultikey(text)
    } catch (error) {
      if (!(error instanceof EncodingError)) throw error
      throw usageFailure(
        '--recovery-key needs a public Ed25519 key (z6Mk...)',
        'Give the public key that `chronym kid recovery-key` printed. If you gave a secret, make a new ' +
          'key: other users of this machine can see options.'
      )
    }
  })
}

/**
 * Draws a key and writes it to a new file, mode 0600: 24 words and its public key. With a passphrase the file is in the
 * age format. Throws CLI-INP-001 if the file exists.
 */
export async function makeKeyFile(
  context: Context,
  file: string,
  options: PassphraseOptions,
  { what, title }: KeyUse = RECOVERY
): Promise<{ publicKey: string; isEncrypted: boolean }> {
  if (existsSync(file))
    throw inputFailure(`${file} is there already: it may be the only copy of another key`, 'Name another file.')
  const isEncrypted = options.passphrase === true || options.passphraseFile !== undefined
  const passphrase = isEncrypted
    ? await newPassphrase(context, options.passphraseFile, `Passphrase for the ${what}`)
    : undefined
  const secret = new Uint8Array(randomBytes(MASTER_SEED_BYTES))
  const publicKey = encodeMultikey(keyPairFromSeed(secret).publicKey)
  const text = Buffer.from(
    `# ${title} Keep it away from daemons; these 24 words are the key.\n# ` +
      `public key: ${publicKey}\n${seedToWords(secret)}\n`
  )
  writeSealedFile(file, passphrase === undefined ? text : await encrypt(text, { passphrase }))
  return { publicKey, isEncrypted }
}

/** The key in a file as `makeKeyFile` writes it, or of 24 words alone. CLI-INP-001 that quotes nothing of it. */
export async function readKeyFile(
  context: Context,
  file: string,
  { passphraseFile }: PassphraseOptions,
  use: KeyUse = RECOVERY
): Promise<KeyPair> {
  const bytes = readSmallFile(file, use)
  const text = textOfKey(file, isAgeFile(bytes) ? await open(context, file, bytes, use, passphraseFile) : bytes)
  const words = text
    .split(/\r?\n/u)
    .filter((line) => !line.trimStart().startsWith('#'))
    .join(' ')
  let key: KeyPair
  try {
    key = keyPairFromSeed(wordsToSeed(words, `a ${use.what}`))
  } catch (error) {
    if (!(error instanceof KeyError)) throw error
    throw inputFailure(
      `${file} holds no whole ${use.what}: ${error.detail}`,
      'Take another copy of the file, or type the 24 words from paper into one.',
      error
    )
  }
  const stated = PUBLIC_LINE.exec(text)?.[1]
  if (stated !== undefined && stated !== encodeMultikey(key.publicKey))
    throw inputFailure(
      `the words in ${file} are not of the public key that the file states`,
      'Two keys were mixed up, or a word changed: take another copy of the file.'
    )
  return key
}

function readSmallFile(file: string, { what, command }: KeyUse): Uint8Array {
  try {
    const { size } = statSync(file)
    if (size > MAX_FILE_BYTES) throw new Error(`it has ${size} bytes, more than a ${what}`)
    return readFileSync(file)
  } catch (error) {
    throw inputFailure(
      `${file} can't be read: ${messageOf(error)}`,
      `Name the file that \`chronym ${command}\` wrote.`,
      error
    )
  }
}

function textOfKey(file: string, bytes: Uint8Array): string {
  try {
    return textOfUtf8(bytes)
  } catch (error) {
    if (!(error instanceof NotUtf8Error)) throw error
    throw inputFailure(`${file} can't be read: ${error.message}`, 'Take another copy of the file.', error)
  }
}

async function open(
  context: Context,
  file: string,
  bytes: Uint8Array,
  { what }: KeyUse,
  passphraseFile: string | undefined
): Promise<Uint8Array> {
  const passphrase = await passphraseOf(context, passphraseFile, `Passphrase of the ${what}`)
  try {
    const { plaintext, isByFormerReading } = await openSealed(bytes, { passphrase })
    if (isByFormerReading) await sealAgain(context, file, plaintext, passphrase)
    return plaintext
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    throw inputFailure(
      `${file} does not open: the passphrase is another one, or the file is cut or changed`,
      'Check the passphrase; where it is right, take another copy of the file.',
      error
    )
  }
}

/** With `public`, only the public key of a file is asked for. */
interface RecoveryKeyOptions extends PassphraseOptions {
  public?: boolean
}

export async function runRecoveryKey(context: Context, options: RecoveryKeyOptions, file: string): Promise<void> {
  if (options.public === true) {
    const publicKey = encodeMultikey((await readKeyFile(context, file, options)).publicKey)
    context.output.plain({ file, public_key: publicKey }, publicKey)
    return
  }
  const { publicKey, isEncrypted } = await makeKeyFile(context, file, options)
  context.output.plain({ file, public_key: publicKey, encrypted: isEncrypted }, publicKey)
  context.output.note(
    `the secret key is in ${file}${isEncrypted ? '' : ', in plain words'}: keep it off the daemon's ` +
      'machine, with a second copy elsewhere. Use the public key: chronym kid create --recovery-key ' +
      publicKey
  )
}
