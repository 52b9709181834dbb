import { noteBackup } from '../../data-directory/seed-safety.ts'
import { equalBytes, toHex } from '../../protocol/encoding/bytes.ts'
import { ServiceError } from '../../errors.ts'
import { loadProfile } from '../../config/config.ts'
import {
  importOwnerSeed,
  requireKeptSeed,
  requireUnused,
  sealOwnerSeed,
  unsealOwnerSeed
} from '../../data-directory/open.ts'
import { seedToWords } from '../../protocol/crypto/keys.ts'
import { aboutDirectory, readWords, requireOwnSeed } from './seed.ts'
import { sealSeed } from '../../backup/sealed-seed.ts'
import type { DataPaths } from '../../data-directory/paths.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode, usageFailure } from '../failures/failure.ts'
import { newPassphrase, requireConsent } from '../input/questions.ts'
import { localConfig, localPaths } from '../connection/location.ts'

interface PassphraseOptions {
  remove?: boolean
  passphraseFile?: string
  seedPassphraseFile?: string
}

/**
 * `chronym key passphrase`: seals the seed, changes its passphrase, or takes it off. Only while no daemon uses the
 * directory.
 */
export async function runPassphrase(
  context: Context,
  { remove, passphraseFile, seedPassphraseFile }: PassphraseOptions
): Promise<void> {
  if (remove === true && passphraseFile !== undefined)
    throw usageFailure(
      '--remove takes no new passphrase',
      'The present one comes from --seed-passphrase-file, or is asked for.'
    )
  if (passphraseFile === '-' && seedPassphraseFile === '-')
    throw usageFailure('only one passphrase can come from standard input')
  const paths = localPaths(context)
  const profile = loadProfile(localConfig(context).network)
  // Before anybody is asked for anything; it is checked again with the change.
  requireUnused(paths)
  const { seed, sealed: before } = await requireOwnSeed(context, paths, seedPassphraseFile)
  if (remove === true) {
    unsealOwnerSeed(paths, profile, { seed, before })
    context.output.answer({ sealed: false, changed: before !== undefined, data_dir: paths.root }, () =>
      before === undefined
        ? `The seed of ${paths.root} has no passphrase.`
        : `The seed of ${paths.root} has no passphrase any more: ${paths.seed} holds its words in clear.`
    )
    return
  }
  const question = before === undefined ? 'Passphrase for the seed' : 'New passphrase for the seed'
  const passphrase = await newPassphrase(context, passphraseFile, question)
  sealOwnerSeed(paths, profile, { seed, sealed: await sealSeed(seed, passphrase), before })
  context.output.answer({ sealed: true, changed: before !== undefined, data_dir: paths.root }, () =>
    before === undefined
      ? `This passphrase now protects the seed of ${paths.root}: ${paths.sealedSeed}`
      : `The passphrase is changed: ${paths.sealedSeed}`
  )
  context.output.note(
    'Nobody can recover the passphrase: keep it, and the 24 words on paper. Earlier copies of the ' +
      'directory still hold the words as they were.'
  )
}

/** Words in a line on a terminal. */
const COLUMNS = 4

/** Letters of the longest BIP-39 word. */
const WORD_WIDTH = 8

/** Numbered, to be copied by hand. */
export function gridOf(words: readonly string[]): string {
  const cells = words.map((word, index) => `${String(index + 1).padStart(2)}. ${word.padEnd(WORD_WIDTH)}`)
  return Array.from({ length: Math.ceil(cells.length / COLUMNS) }, (_, line) =>
    cells
      .slice(line * COLUMNS, (line + 1) * COLUMNS)
      .join('  ')
      .trimEnd()
  ).join('\n')
}

export async function runShow(
  context: Context,
  { yes, seedPassphraseFile }: { yes?: boolean; seedPassphraseFile?: string }
): Promise<void> {
  const paths = localPaths(context)
  const { seed } = await requireOwnSeed(context, paths, seedPassphraseFile)
  await requireConsent(context, {
    cost: 'Anyone who sees these words can take your names',
    question: `Show the 24 words of ${paths.root}?`,
    isGiven: yes === true,
    refusal: 'key show prints a secret and asks first, which needs a terminal',
    cure: 'Give --yes if the program that reads this may see the words.',
    declined: 'not confirmed; nothing was shown'
  })
  const words = seedToWords(seed)
  const json = { words, entropy: toHex(seed) }
  context.output.plain(json, context.run.surroundings.stdout.isTTY === true ? gridOf(words.split(' ')) : words)
  context.output.note(
    'Write them on paper and keep it from others. Then make sure that you can read them: chronym key check'
  )
}

/** A file of another seed must not be taken for this directory's. A running daemon has checked its own already. */
function requireFittingSeed(context: Context, paths: DataPaths, seed: Uint8Array): void {
  try {
    requireKeptSeed(paths, loadProfile(localConfig(context).network), seed)
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'SVC-KEY-005')) throw error
  }
}

export async function runCheck(
  context: Context,
  { seedPassphraseFile }: { seedPassphraseFile?: string },
  file: string | undefined
): Promise<ExitCode> {
  const paths = localPaths(context)
  if (file === '-' && seedPassphraseFile === '-')
    throw usageFailure('words and passphrase cannot both come from standard input')
  const { seed: own } = await requireOwnSeed(context, paths, seedPassphraseFile)
  requireFittingSeed(context, paths, own)
  const given = await readWords(context, file)
  const matches = equalBytes(own, given)
  if (matches) {
    noteBackup(paths, { words_checked_at: new Date().toISOString() })
  }
  context.output.answer({ matches, data_dir: paths.root }, () =>
    matches
      ? `These are the words of ${aboutDirectory(paths)}. Keep them safe.`
      : context.output.commands(
          `These are the words of another seed, not those of ${aboutDirectory(paths)}. Another directory is named with ` +
            '--data-dir; the words of this one are shown by: chronym key show'
        )
  )
  return matches ? EXIT.ok : EXIT.negative
}

export async function runImport(context: Context, _options: unknown, file: string | undefined): Promise<void> {
  const paths = localPaths(context)
  const profile = loadProfile(localConfig(context).network)
  const seed = await readWords(context, file)
  const imported = importOwnerSeed(paths, profile, seed, new Date().toISOString())
  context.output.answer({ imported, data_dir: paths.root }, () =>
    imported ? `${paths.root} has this seed now. Its daemon can start.` : `${paths.root} had this seed already.`
  )
}
