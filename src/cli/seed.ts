import { readFileSync } from 'node:fs'
import { fromHex } from '../protocol/encoding/bytes.ts'
import { wordsToSeed } from '../protocol/crypto/keys.ts'
import type { Context } from './context.ts'
import { inputFailure, messageOf } from './failures/failure.ts'
import { localPaths } from './connection/location.ts'

const SEED_HEX = /^[0-9a-f]{64}$/iu

/**
 * The owner's seed: 24 words or 64 hexadecimal digits from `file`, or the daemon's own. Asks for the passphrase of a
 * sealed seed.
 */
export async function readSeed(context: Context, file: string | undefined): Promise<Uint8Array> {
  const paths = localPaths(context)
  if (file === undefined) {
    const { seedForm } = await import('../data-directory/seed-files.ts')
    if (seedForm(paths) === 'sealed') {
      const { requireOwnSeed } = await import('./key/own-seed.ts')
      return (await requireOwnSeed(context, paths, undefined)).seed
    }
  }
  const path = file ?? paths.seed
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw inputFailure(
      `the seed file ${path} can't be read: ${messageOf(error)}. Name one with --seed-file, or the ` +
        `daemon's data directory with --data-dir`,
      error
    )
  }
  try {
    return SEED_HEX.test(text) ? fromHex(text.toLowerCase()) : wordsToSeed(text)
  } catch (error) {
    // The words themselves must not appear in a message.
    throw inputFailure(`${path} holds no seed (24 words, or 64 hexadecimal digits)`, error)
  }
}
