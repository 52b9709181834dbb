/** The age format (age-encryption.org/v1) around a backup: `age -d` opens the same files. */
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { messageOf } from '../protocol/errors.ts'
import { BackupError, MAX_PLAINTEXT_BYTES } from './container.ts'
import { writePrivateFile } from '../data-directory/private-files.ts'

/** The key does not open the file, or the header is damaged: the two cannot be told apart. */
export class WrongKeyError extends BackupError {}

/** Loaded by its first use: it is half of what a command would load, and few use it. */
const age = () => import('age-encryption')

/** What a backup is encrypted for: a passphrase, or public keys (`age1...`) of which any opens it. */
export type Lock =
  { readonly passphrase: string; readonly workFactor?: number } | { readonly recipients: readonly string[] }

/** A passphrase, or secret keys (`AGE-SECRET-KEY-1...`). */
export type Unlock = { readonly passphrase: string } | { readonly identities: readonly string[] }

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
    encrypter.setPassphrase(lock.passphrase)
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

/** Throws BackupError `damaged`: a wrong key and a changed header cannot be told apart. */
export async function decrypt(file: Uint8Array, unlock: Unlock): Promise<Uint8Array> {
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
    if ('passphrase' in unlock) decrypter.addPassphrase(unlock.passphrase)
    else for (const identity of unlock.identities) decrypter.addIdentity(identity)
  } catch (error) {
    throw new BackupError(
      'damaged',
      'what --identity names is not a secret key of age',
      'It holds lines that begin with AGE-SECRET-KEY-1, as `age-keygen` writes them.',
      { cause: error }
    )
  }
  try {
    return await decrypter.decrypt(await withoutArmor(file))
  } catch (error) {
    if (messageOf(error).startsWith('no identity matched')) {
      throw new WrongKeyError(
        'damaged',
        `the ${isByPassphrase ? 'passphrase' : 'secret key'} does not open this backup, or its header is damaged`,
        'Check the key; where it is right, take another copy of the backup. Nothing was written.',
        { cause: error }
      )
    }
    throw damaged(`it does not decrypt (${messageOf(error)})`, error)
  }
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
