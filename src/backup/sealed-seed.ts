/**
 * The 24 words of a seed under a passphrase: a text file in the age format. `age -d seed-words.age` prints the words
 * without this program.
 */
import { randomFillSync } from 'node:crypto'
import { ServiceError } from '../errors.ts'
import { KeyError } from '../protocol/errors.ts'
import { MASTER_SEED_BYTES, seedToWords, wordsToSeed } from '../protocol/crypto/keys.ts'
import { equalBytes } from '../protocol/encoding/bytes.ts'
import { encodingOf, encrypt, openSealed, type Passphrase, takesPassphrase, WrongKeyError } from './encryption.ts'
import { BackupError } from './container.ts'
import type { ErrorCode } from '../error-table.ts'
import { runApart } from '../util/run-apart.ts'
import { secretBuffer } from '../util/secret-input.ts'
import { NotUtf8Error, textOfUtf8 } from '../util/utf8.ts'

interface SealOptions {
  /** log2 of scrypt's N. Default: 18, age's own, which costs about a second and 256 MiB a guess. Tests take less. */
  readonly workFactor?: number
}

/** The text of the file, after a check that it opens and gives the same seed. */
export async function sealSeed(
  seed: Uint8Array,
  passphrase: Passphrase,
  { workFactor }: SealOptions = {}
): Promise<string> {
  const sealed = await encrypt(Buffer.from(`${seedToWords(seed)}\n`), {
    passphrase,
    ...(workFactor === undefined ? {} : { workFactor })
  })
  const { armor } = await import('age-encryption')
  const text = armor.encode(sealed)
  if (!equalBytes(await unsealSeed(text, passphrase, 'what was sealed'), seed))
    throw new Error('a sealed seed does not open to the same seed')
  return text
}

/**
 * The seed of a sealed file, 32 bytes. Rejects with ServiceError SVC-KEY-007 (wrong passphrase) or SVC-KEY-003 (no
 * readable sealed seed).
 * @param path what messages call the file
 */
export async function unsealSeed(text: string, passphrase: Passphrase, path: string): Promise<Uint8Array> {
  return (await openSeed(text, passphrase, path)).seed
}

export interface OpenedSeed {
  /** 32 bytes. */
  readonly seed: Uint8Array
  /** The file's new text where other passphrases of the same length opened it; for the caller to save. */
  readonly resealed: string | undefined
}

/** As {@link unsealSeed}. */
export async function openSeed(text: string, passphrase: Passphrase, path: string): Promise<OpenedSeed> {
  try {
    const file = Buffer.from(text)
    if (!(await takesPassphrase(file)))
      throw new ServiceError('SVC-KEY-003', `${path} is for a secret key of age, and a passphrase is expected.`)
    const { plaintext, isByFormerReading } = await openSealed(file, { passphrase })
    const seed = wordsToSeed(textOfUtf8(plaintext))
    return { seed, resealed: isByFormerReading ? await sealSeed(seed, passphrase) : undefined }
  } catch (error) {
    if (error instanceof WrongKeyError)
      throw new ServiceError(
        'SVC-KEY-007',
        `The passphrase does not open ${path}, or its header is damaged${encodingOf(passphrase)}.`,
        {
          cause: error
        }
      )
    if (error instanceof BackupError)
      throw new ServiceError(
        'SVC-KEY-003',
        `${path} cannot be read as a sealed seed: it is cut off, damaged or no file in the age format.`,
        { cause: error }
      )
    // Never quotes the content.
    if (error instanceof NotUtf8Error)
      throw new ServiceError('SVC-KEY-003', `${path} does not hold a seed: ${error.message}.`, { cause: error })
    if (error instanceof KeyError)
      throw new ServiceError('SVC-KEY-003', `${path} does not hold a seed: ${error.detail}.`, { cause: error })
    throw error
  }
}

export interface UnsealRequest {
  readonly text: string
  /** For the caller to overwrite. */
  readonly passphrase: Uint8Array
  readonly path: string
}

/** What the process sends back; errors lose their class on the way. */
export type UnsealAnswer =
  | { readonly ok: true; readonly masked: Uint8Array; readonly resealed: string | undefined }
  | { readonly ok: false; readonly message: string; readonly code: ErrorCode | undefined }

/** Where the mask ends and the passphrase begins. */
export const MASK_BYTES = MASTER_SEED_BYTES

/**
 * As `openSeed`, in a process of its own. The seed comes back under a mask that is used once: what Node reads from a
 * pipe stays in buffers that nobody can overwrite.
 */
export async function unsealApart({ text, passphrase, path }: UnsealRequest): Promise<OpenedSeed> {
  const secret = secretBuffer(MASK_BYTES + passphrase.length)
  try {
    const mask = randomFillSync(secret.subarray(0, MASK_BYTES))
    secret.set(passphrase, MASK_BYTES)
    const answer = await runApart<UnsealAnswer>('./unseal-process', import.meta.url, { text, path }, secret)
    if (!answer.ok)
      throw answer.code === undefined ? new Error(answer.message) : new ServiceError(answer.code, answer.message)
    return { seed: unmasked(answer.masked, mask), resealed: answer.resealed }
  } finally {
    secret.fill(0)
  }
}

function unmasked(masked: Uint8Array, mask: Uint8Array): Uint8Array {
  const seed = new Uint8Array(new ArrayBuffer(MASTER_SEED_BYTES))
  masked.forEach((byte, index) => (seed[index] = byte ^ mask[index]!))
  return seed
}
