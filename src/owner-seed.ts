/** The owner's master seed as 24 words in a file: whoever has the words owns the names. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { KeyError } from './protocol/errors.ts'
import { MASTER_SEED_BYTES, seedToWords, wordsToSeed } from './protocol/keys.ts'
import { writePrivateFile } from './paths.ts'

/** The text of a file, or undefined where there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Reads the seed; makes and saves one on the first start. Throws KeyError, which names the file, when the words cannot be read: never replaces them. */
export function loadOwnerSeed(path: string): Uint8Array {
  const words = readIfThere(path)
  if (words !== undefined) {
    try {
      return wordsToSeed(words)
    } catch (error) {
      if (!(error instanceof KeyError)) throw error
      throw new KeyError(`${path}: ${error.detail}. Put the right words back (from your backup); they are what your names belong to.`, { cause: error })
    }
  }
  const seed = new Uint8Array(randomBytes(MASTER_SEED_BYTES))
  writePrivateFile(path, `${seedToWords(seed)}\n`)
  return seed
}
