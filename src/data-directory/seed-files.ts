/**
 * The owner's master seed, which gives control of the names, in a data directory: 24 words in clear, or sealed under a
 * passphrase. Both exist only after a crash between them.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hkdfSync, randomBytes } from 'node:crypto'
import { ServiceError } from '../errors.ts'
import type { DataPaths } from './paths.ts'
import { readPrivateFile, writePrivateFile } from './private-files.ts'
import { equalBytes } from '../protocol/encoding/bytes.ts'
import { syncDirectory, AT_ONCE } from '../util/files.ts'
import { KeyError } from '../protocol/errors.ts'
import { MASTER_SEED_BYTES, seedToWords, wordsToSeed } from '../protocol/crypto/keys.ts'
import { readTextFile } from '../util/utf8.ts'

/** A whole one has less than 1 KiB; the decrypter gets nothing larger than this. */
const MAX_SEALED_BYTES = 16_384

/** What a crash leaves of a half-written file; one of the words holds them in clear. */
const LEFTOVER = /^\.seed-words(?:\.age)?\.[0-9a-f]+\.tmp$/u

type SeedPaths = Pick<DataPaths, 'root' | 'seed' | 'sealedSeed'>

/** Where both exist, `clear` counts: a crash came before the passphrase was set, or after it was removed. */
type SeedForm = 'clear' | 'sealed' | 'absent'

export function seedForm({ seed, sealedSeed }: SeedPaths): SeedForm {
  if (existsSync(seed)) return 'clear'
  return existsSync(sealedSeed) ? 'sealed' : 'absent'
}

/** Whether a crash left the words in clear beside the sealed ones: the passphrase protects nothing then. */
export function isHalfSealed({ seed, sealedSeed }: SeedPaths): boolean {
  return existsSync(seed) && existsSync(sealedSeed)
}

/** The text of the sealed seed, or undefined where there is none. Throws SVC-KEY-003 for an oversized file. */
export function readSealedSeed({ sealedSeed }: SeedPaths): string | undefined {
  const text = readPrivateFile(sealedSeed)
  if (text !== undefined && text.length > MAX_SEALED_BYTES)
    throw new ServiceError('SVC-KEY-003', `${sealedSeed} has ${text.length} bytes, more than any sealed seed.`)
  return text
}

/** One change of the directory; a crash between two leaves at least one good seed. */
interface SeedStep {
  readonly what: string
  readonly run: () => void
}

/**
 * Replaces the seed with a sealed one, for holders of the directory's lock. The clear words go last.
 * @param text of the sealed file; the caller has opened it and found the seed in it
 */
export function sealingSteps(paths: SeedPaths, text: string): SeedStep[] {
  return [
    { what: 'write the sealed seed', run: () => writePrivateFile(paths.sealedSeed, text) },
    {
      what: 'read it back',
      run: () => {
        if (readTextFile(paths.sealedSeed) !== text)
          throw new ServiceError('SVC-STO-001', `${paths.sealedSeed} does not read as it was written.`)
      }
    },
    { what: 'remove the words in clear', run: () => removeDurably(paths, paths.seed) },
    { what: 'remove what crashes left', run: () => removeLeftovers(paths) }
  ]
}

/**
 * Puts another sealed form of the same seed in its place, for holders of the directory's lock. Nothing changes where the
 * file is another one by now.
 */
export function replaceSealedSeed(paths: SeedPaths, before: string, text: string): void {
  if (seedForm(paths) !== 'sealed' || readSealedSeed(paths) !== before) return
  for (const step of sealingSteps(paths, text)) step.run()
}

/** Replaces the sealed seed with the words in clear, for holders of the directory's lock. */
export function unsealingSteps(paths: SeedPaths, seed: Uint8Array): SeedStep[] {
  return [
    { what: 'write the words in clear', run: () => writeOwnerSeed(paths.seed, seed) },
    {
      what: 'read them back',
      run: () => {
        const written = readOwnerSeed(paths.seed)
        if (written === undefined || !equalBytes(written, seed))
          throw new ServiceError('SVC-STO-001', `${paths.seed} does not read as it was written.`)
      }
    },
    { what: 'remove the sealed seed', run: () => removeDurably(paths, paths.sealedSeed) },
    { what: 'remove what crashes left', run: () => removeLeftovers(paths) }
  ]
}

/** Files that were half written when a crash came. */
function removeLeftovers({ root }: SeedPaths): void {
  for (const name of readdirSync(root)) if (LEFTOVER.test(name)) rmSync(join(root, name), { force: true })
}

/** The name is gone when it returns; the bytes may stay on the medium until it reuses them. */
function removeDurably({ root }: SeedPaths, path: string): void {
  rmSync(path, { force: true })
  syncDirectory(root)
}

const FINGERPRINT_BYTES = 32

/** Separates fingerprints from every key that is derived from a seed. */
const FINGERPRINT_INFO = 'chronym/seed-fingerprint/v1'

export function readIfThere(path: string): string | undefined {
  try {
    return readTextFile(path, AT_ONCE)
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
