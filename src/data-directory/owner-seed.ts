/** The owner's master seed as 24 words in a file. The words give control of the names. */
import { hkdfSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ServiceError } from '../errors.ts'
import { KeyError } from '../protocol/errors.ts'
import { MASTER_SEED_BYTES, seedToWords, wordsToSeed } from '../protocol/crypto/keys.ts'
import { readPrivateFile, writePrivateFile } from './private-files.ts'
import { AT_ONCE } from '../util/at-once.ts'

const FINGERPRINT_BYTES = 32

/** Separates fingerprints from every key that is derived from a seed. */
const FINGERPRINT_INFO = 'chronym/seed-fingerprint/v1'

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, { encoding: 'utf8', flag: AT_ONCE })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * The seed of a file, or undefined where there is none. Throws SVC-KEY-003, which names the file and never quotes it.
 */
export function readOwnerSeed(path: string): Uint8Array | undefined {
  const words = readPrivateFile(path)
  if (words === undefined) return undefined
  try {
    return wordsToSeed(words)
  } catch (error) {
    if (!(error instanceof KeyError)) throw error
    throw new ServiceError('SVC-KEY-003', `${path} cannot be read as a seed: ${error.detail}.`, { cause: error })
  }
}

export function drawOwnerSeed(): Uint8Array {
  return new Uint8Array(randomBytes(MASTER_SEED_BYTES))
}

/** Writes a seed file, durable when it returns. Replaces an existing one. */
export function writeOwnerSeed(path: string, seed: Uint8Array): void {
  writePrivateFile(path, `${seedToWords(seed)}\n`)
}

/** 32 bytes that tell seeds apart: HKDF-SHA-256 with its own info. They reveal neither the seed nor any key. */
export function seedFingerprint(seed: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', seed, new Uint8Array(0), FINGERPRINT_INFO, FINGERPRINT_BYTES))
}
