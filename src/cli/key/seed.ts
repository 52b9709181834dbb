import { createInterface } from 'node:readline'
import { fromHex } from '../../protocol/encoding/bytes.ts'
import { wordsToSeed } from '../../protocol/crypto/keys.ts'
import { readOwnerSeed, readSealedSeed } from '../../data-directory/seed-files.ts'
import type { DataPaths } from '../../data-directory/paths.ts'
import { readRunningRecord } from '../../data-directory/running-record.ts'
import { prefixes } from '../../store/keys.ts'
import { readSnapshot } from '../../store/inspect.ts'
import { StoreError } from '../../store/types.ts'
import { KeyError } from '../../protocol/errors.ts'
import type { Passphrase } from '../../backup/encryption.ts'
import { ServiceError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { EXIT, Failure, inputFailure, messageOf } from '../failures/failure.ts'
import { loadProfile, localConfig, localPaths } from '../connection/location.ts'
import { hasPerson, passphraseOf } from '../input/questions.ts'
import { plural } from '../../util/words.ts'
import { nameOfInput, readText } from '../input/files.ts'
import { readTextFile } from '../../util/utf8.ts'

/** What a command that signs takes: `CliCommand.signs`. */
export interface SeedOptions {
  seedFile?: string
  network?: string
}

const SEED_HEX = /^[0-9a-f]{64}$/iu

/**
 * The owner's seed: 24 words or 64 hexadecimal digits from `file`, or the daemon's own. Asks for the passphrase of a
 * sealed seed.
 */
export async function readSeed(context: Context, file: string | undefined): Promise<Uint8Array> {
  const paths = localPaths(context)
  if (file === undefined) {
    const { seedForm } = await import('../../data-directory/seed-files.ts')
    if (seedForm(paths) === 'sealed') {
      return (await requireOwnSeed(context, paths, undefined)).seed
    }
  }
  const path = file ?? paths.seed
  let text: string
  try {
    text = readTextFile(path).trim()
  } catch (error) {
    throw inputFailure(
      `the seed file ${path} can't be read: ${messageOf(error)}. Name one with --seed-file, or the ` +
        `daemon's data directory with --data-dir`,
      undefined,
      error
    )
  }
  try {
    return SEED_HEX.test(text) ? fromHex(text.toLowerCase()) : wordsToSeed(wordsIn(text).join(' '))
  } catch (error) {
    // The words themselves must not appear in a message.
    throw inputFailure(`${path} holds no seed (24 words, or 64 hexadecimal digits)`, undefined, error)
  }
}

interface OwnSeed {
  /** 32 bytes. */
  readonly seed: Uint8Array
  /** Text of the sealed file; undefined where the words are in clear. */
  readonly sealed: string | undefined
}

/**
 * The seed; a sealed one is opened with the passphrase of the file, of `seed.passphrase_file`, or asked for on a
 * terminal. Undefined where the directory has none.
 */
export async function ownSeed(
  context: Context,
  paths: DataPaths,
  passphraseFile: string | undefined
): Promise<OwnSeed | undefined> {
  const clear = readOwnerSeed(paths.seed)
  if (clear !== undefined) return { seed: clear, sealed: undefined }
  const sealed = readSealedSeed(paths)
  if (sealed === undefined) return undefined
  const { openSeed } = await import('../../backup/sealed-seed.ts')
  const { seed, resealed } = await openSeed(sealed, await seedPassphrase(context, passphraseFile), paths.sealedSeed)
  if (resealed === undefined || !(await isReplaced(context, paths, { seed, sealed: resealed, before: sealed })))
    return { seed, sealed }
  context.output.note(
    '• the passphrase file is not UTF-8: the seed is sealed again by its octets, so that no other passphrase opens it'
  )
  return { seed, sealed: resealed }
}

/** A running daemon holds the directory, and seals the seed again itself when it is unlocked. */
async function isReplaced(
  context: Context,
  paths: DataPaths,
  change: { readonly seed: Uint8Array; readonly sealed: string; readonly before: string }
): Promise<boolean> {
  const { sealOwnerSeed } = await import('../../data-directory/open.ts')
  try {
    sealOwnerSeed(paths, loadProfile(context, undefined), change)
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'SVC-KEY-005') return false
    throw error
  }
}

/** As {@link ownSeed}; SVC-KEY-001 where there is none. */
export async function requireOwnSeed(
  context: Context,
  paths: DataPaths,
  passphraseFile: string | undefined
): Promise<OwnSeed> {
  const found = await ownSeed(context, paths, passphraseFile)
  if (found !== undefined) return found
  throw new Failure('SVC-KEY-001', `${paths.root} has no file seed-words`, {
    exitCode: EXIT.notFound,
    cure: 'Name the data directory with --data-dir, or start the daemon once: it makes a seed. Put a lost one back with `chronym key import`.'
  })
}

/** The passphrase that a seed has now. */
function seedPassphrase(context: Context, file: string | undefined): Promise<Passphrase> {
  const configured = localConfig(context).seed.passphrase_file
  const named = file ?? (configured === '' ? undefined : configured)
  return passphraseOf(context, named, 'Passphrase of the seed', 'Give --seed-passphrase-file FILE.')
}

/** Says whose seed it is, for a person in the wrong directory: "the daemon of DIR, at http://..., with 2 names". */
export function aboutDirectory(paths: DataPaths, names = countNames(paths)): string {
  const held = names === undefined ? '' : `, with ${names === 0 ? 'no names' : plural(names, 'name')}`
  return `the daemon of ${paths.root}, ${whereItRuns(paths)}${held}`
}

/** The address is that of its last start; after a crash nothing answers there. */
function whereItRuns(paths: DataPaths): string {
  try {
    const record = readRunningRecord(paths)
    return typeof record === 'string' ? 'which does not run' : `at ${record.api_url}`
  } catch {
    return 'whose address is unknown'
  }
}

/** Undefined where the database cannot be read. */
function countNames(paths: DataPaths): number | undefined {
  try {
    return readSnapshot(paths.database, [prefixes.ownedNames]).size
  } catch (error) {
    if (error instanceof StoreError) return undefined
    throw error
  }
}

const WORDS = 24

/** "1", "1." or "1)": how words are numbered on paper, and by `key show`. */
const NUMBER = /^\d+[.):]?$/u

function wordsIn(text: string): string[] {
  return text.split(/\s+/u).filter((word) => word !== '' && !NUMBER.test(word))
}

/**
 * Lines until there are 24 words, or an empty one. They are shown as they are typed: blind, nobody gets 24 words right.
 */
async function askForWords(context: Context): Promise<string> {
  context.output.note(
    'Type the 24 words, on one line or on several; an empty line ends them. They are shown as you type.'
  )
  const lines = createInterface({ input: context.stdin })
  const words: string[] = []
  for await (const line of lines) {
    words.push(...wordsIn(line))
    if (words.length >= WORDS || line.trim() === '') break
  }
  lines.close()
  return words.join(' ')
}

/**
 * The seed that somebody gives as 24 words: from a file ("-": standard input), asked for on a terminal, else from
 * standard input. CLI-INP-001 where they are none; it says which are wrong and quotes none.
 */
export async function readWords(context: Context, file: string | undefined, what = 'a seed'): Promise<Uint8Array> {
  const isAsked = file === undefined && hasPerson(context)
  const text = isAsked ? await askForWords(context) : await readText(file ?? '-', context.stdin)
  try {
    return wordsToSeed(wordsIn(text).join(' '), what)
  } catch (error) {
    if (!(error instanceof KeyError)) throw error
    throw inputFailure(
      `${isAsked ? 'what was typed' : nameOfInput(file ?? '-')} is not ${what}: ${error.detail}`,
      'Compare it with what you wrote down, word by word and in order.',
      error
    )
  }
}
