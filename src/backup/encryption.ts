/** The age format (age-encryption.org/v1) around a backup: `age -d` opens the same files. */
import { isUtf8 } from 'node:buffer'
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { messageOf } from '../protocol/errors.ts'
import { BackupError, MAX_PLAINTEXT_BYTES } from './container.ts'
import { writePrivateFile } from '../data-directory/private-files.ts'
import { isUtf16 } from '../util/utf8.ts'

/** The key does not open the file, or the header is damaged: the two cannot be told apart. */
export class WrongKeyError extends BackupError {}

/** Loaded by its first use: it is half of what a command would load, and few use it. */
const age = () => import('age-encryption')

/** As text, or as the octets of a file, which need not be UTF-8. */
export type Passphrase = string | Uint8Array

/** What a backup is encrypted for: a passphrase, or public keys (`age1...`) of which any opens it. */
export type Lock =
  { readonly passphrase: Passphrase; readonly workFactor?: number } | { readonly recipients: readonly string[] }

/** A passphrase, or secret keys (`AGE-SECRET-KEY-1...`). */
export type Unlock = { readonly passphrase: Passphrase } | { readonly identities: readonly string[] }

interface Opened {
  readonly plaintext: Uint8Array
  /** Other passphrases of the same length open the file too: the caller seals it again. */
  readonly isByFormerReading: boolean
}

/** log2 of scrypt's N, age's own default: 256 MiB and about a second a guess. */
const WORK_FACTOR = 18

const ARMOR = '-----BEGIN AGE ENCRYPTED FILE-----'
const HEADER = 'age-encryption.org/v1\n'
const PASSPHRASE_HEADER = `${HEADER}-> scrypt `
/** age adds 16 bytes to each 64 KiB, and a header. Armour adds a third and is for small files. */
const MAX_FILE_BYTES = MAX_PLAINTEXT_BYTES + MAX_PLAINTEXT_BYTES / 1024

/** Rejects with BackupError `recipient` for an invalid recipient. */
export async function checkRecipient(recipient: string): Promise<void> {
  const { Encrypter } = await age()
  try {
    new Encrypter().addRecipient(recipient)
  } catch (error) {
    throw new BackupError(
      'recipient',
      `"${recipient}" is not a public key of age`,
      'It begins with age1; `age-keygen` makes one and prints it.',
      { cause: error }
    )
  }
}

export async function encrypt(plaintext: Uint8Array, lock: Lock): Promise<Uint8Array> {
  const { Encrypter } = await age()
  const encrypter = new Encrypter()
  if ('passphrase' in lock) {
    encrypter.setScryptWorkFactor(lock.workFactor ?? WORK_FACTOR)
    encrypter.setPassphrase(forAge(lock.passphrase))
  } else {
    for (const recipient of lock.recipients) await checkRecipient(recipient)
    for (const recipient of lock.recipients) encrypter.addRecipient(recipient)
  }
  return encrypter.encrypt(plaintext)
}

export function isAgeFile(file: Uint8Array): boolean {
  return Buffer.from(file.subarray(0, HEADER.length)).toString('latin1') === HEADER
}

/** Whether a passphrase opens it; else it takes a secret key. Rejects with BackupError `damaged` unless it is an age file. */
export async function takesPassphrase(file: Uint8Array): Promise<boolean> {
  const bytes = await withoutArmor(file)
  const start = Buffer.from(bytes.subarray(0, PASSPHRASE_HEADER.length)).toString('latin1')
  if (!start.startsWith(HEADER)) throw damaged('it does not begin as a file in the age format')
  return start === PASSPHRASE_HEADER
}

/** The scrypt of `age-encryption` takes octets as well; its type names text alone. */
function forAge(passphrase: Passphrase): string {
  return passphrase as string
}

/**
 * Octets that are not UTF-8 as the first versions read them: with U+FFFD in place of each fault, so that many files are
 * one passphrase. Undefined where both readings are the same.
 */
function formerReading(passphrase: Passphrase): string | undefined {
  if (typeof passphrase === 'string' || isUtf8(passphrase)) return undefined
  // eslint-disable-next-line no-restricted-syntax -- the fault of the first versions, to open what they sealed
  return new TextDecoder().decode(passphrase)
}

/** As {@link openSealed}, for files that nobody seals again. */
export async function decrypt(file: Uint8Array, unlock: Unlock): Promise<Uint8Array> {
  return (await openSealed(file, unlock)).plaintext
}

/**
 * Tries a passphrase by its octets, then as the first versions read it. Throws BackupError `damaged`: a wrong key and a
 * changed header cannot be told apart.
 */
export async function openSealed(file: Uint8Array, unlock: Unlock): Promise<Opened> {
  const former = 'passphrase' in unlock ? formerReading(unlock.passphrase) : undefined
  try {
    return { plaintext: await decryptWith(file, unlock), isByFormerReading: false }
  } catch (error) {
    if (former === undefined || !(error instanceof WrongKeyError)) throw error
    const plaintext = await decryptWith(file, { passphrase: former }).catch((again: unknown) => {
      throw again instanceof WrongKeyError ? error : again
    })
    return { plaintext, isByFormerReading: true }
  }
}

async function decryptWith(file: Uint8Array, unlock: Unlock): Promise<Uint8Array> {
  if (file.length > MAX_FILE_BYTES) throw damaged(`it has ${file.length} bytes; at most ${MAX_FILE_BYTES} are possible`)
  const isByPassphrase = await takesPassphrase(file)
  if (isByPassphrase !== 'passphrase' in unlock) {
    throw new BackupError(
      'damaged',
      isByPassphrase
        ? 'this backup is under a passphrase, and a secret key was given'
        : 'this backup is for a secret key, and a passphrase was given',
      isByPassphrase
        ? 'Give --passphrase-file, or type it on a terminal.'
        : 'Give the file of the secret key with --identity.'
    )
  }
  const { Decrypter } = await age()
  const decrypter = new Decrypter()
  try {
    if ('passphrase' in unlock) decrypter.addPassphrase(forAge(unlock.passphrase))
    else for (const identity of unlock.identities) decrypter.addIdentity(identity)
  } catch (error) {
    throw notASecretKey(error)
  }
  try {
    return await decrypter.decrypt(await withoutArmor(file))
  } catch (error) {
    if (messageOf(error).startsWith('no identity matched')) {
      throw new WrongKeyError(
        'damaged',
        `the ${isByPassphrase ? 'passphrase' : 'secret key'} does not open this backup, or its header is damaged` +
          ('passphrase' in unlock ? encodingOf(unlock.passphrase) : ''),
        'Check the key; where it is right, take another copy of the backup. Nothing was written.',
        { cause: error }
      )
    }
    throw damaged(`it does not decrypt (${messageOf(error)})`, error)
  }
}

export function notASecretKey(cause: unknown): BackupError {
  return new BackupError(
    'damaged',
    'what --identity names is not a secret key of age',
    'It holds lines that begin with AGE-SECRET-KEY-1, as `age-keygen` writes them.',
    { cause }
  )
}

/** What else may be the matter with a passphrase that does not open; to follow a clause. */
export function encodingOf(passphrase: Passphrase): string {
  return typeof passphrase !== 'string' && isUtf16(passphrase)
    ? '. The passphrase file is UTF-16: save it as UTF-8 if it was typed elsewhere'
    : ''
}

/** age's text form, for mails and paper. */
async function withoutArmor(file: Uint8Array): Promise<Uint8Array> {
  if (Buffer.from(file.subarray(0, ARMOR.length)).toString('latin1') !== ARMOR) return file
  const { armor } = await age()
  try {
    return armor.decode(Buffer.from(file).toString('latin1'))
  } catch (error) {
    throw damaged(`its armour is broken (${messageOf(error)})`, error)
  }
}

function damaged(reason: string, cause?: unknown): BackupError {
  return new BackupError(
    'damaged',
    `this backup is damaged, or is not a backup: ${reason}`,
    'Take another copy of the backup. Nothing was written.',
    { cause }
  )
}

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
