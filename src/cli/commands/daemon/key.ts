import type { Command } from 'commander'
import type { DataPaths } from '../../../data-directory/paths.ts'
import type { PassphraseOptions } from '../../key/passphrase.ts'
import { requireConsent } from '../../questions/consent.ts'
import { action, type Context, type Run } from '../../context.ts'
import { EXIT, type ExitCode } from '../../failures/exit-codes.ts'
import { usageFailure } from '../../failures/failure.ts'
import { localConfig, localPaths } from '../../connection/location.ts'

/** Words in a line on a terminal. */
const COLUMNS = 4
/** Of the longest BIP-39 word. */
const WORD_WIDTH = 8

/** Numbered, to be copied by hand. */
function gridOf(words: readonly string[]): string {
  const cells = words.map((word, index) => `${String(index + 1).padStart(2)}. ${word.padEnd(WORD_WIDTH)}`)
  return Array.from({ length: Math.ceil(cells.length / COLUMNS) }, (_, line) =>
    cells
      .slice(line * COLUMNS, (line + 1) * COLUMNS)
      .join('  ')
      .trimEnd()
  ).join('\n')
}

async function show(
  context: Context,
  { yes, seedPassphraseFile }: { yes?: boolean; seedPassphraseFile?: string }
): Promise<ExitCode> {
  const paths = localPaths(context)
  const { requireOwnSeed } = await import('../../key/own-seed.ts')
  const { seed } = await requireOwnSeed(context, paths, seedPassphraseFile)
  await requireConsent(context, {
    cost: 'Anyone who sees these words can take your names',
    question: `Show the 24 words of ${paths.root}?`,
    isGiven: yes === true,
    refusal: 'key show prints a secret and asks first, which needs a terminal',
    cure: 'Give --yes if the program that reads this may see the words.',
    declined: 'not confirmed; nothing was shown'
  })
  const { seedToWords } = await import('../../../protocol/crypto/keys.ts')
  const words = seedToWords(seed)
  context.output.plain({ words }, context.run.surroundings.stdout.isTTY === true ? gridOf(words.split(' ')) : words)
  context.output.note(
    'Write them on paper and keep it from others. Then make sure that you can read them: chronym key check'
  )
  return EXIT.ok
}

/** A file of another seed must not be taken for this directory's. Of a running daemon it is right: it has looked. */
async function requireFittingSeed(context: Context, paths: DataPaths, seed: Uint8Array): Promise<void> {
  const { requireKeptSeed } = await import('../../../data-directory/open.ts')
  const { loadProfile } = await import('../../../config/network-profile.ts')
  const { ServiceError } = await import('../../../errors.ts')
  try {
    requireKeptSeed(paths, loadProfile(localConfig(context).network), seed)
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'SVC-KEY-005')) throw error
  }
}

async function check(
  context: Context,
  { seedPassphraseFile }: { seedPassphraseFile?: string },
  file: string | undefined
): Promise<ExitCode> {
  const paths = localPaths(context)
  if (file === '-' && seedPassphraseFile === '-')
    throw usageFailure('words and passphrase cannot both come from standard input')
  const { requireOwnSeed } = await import('../../key/own-seed.ts')
  const { seed: own } = await requireOwnSeed(context, paths, seedPassphraseFile)
  await requireFittingSeed(context, paths, own)
  const { readWords } = await import('../../key/words.ts')
  const given = await readWords(context, file)
  const { equalBytes } = await import('../../../protocol/encoding/bytes.ts')
  const matches = equalBytes(own, given)
  if (matches) {
    const { noteBackup } = await import('../../../data-directory/seed-safety.ts')
    noteBackup(paths, { words_checked_at: new Date().toISOString() })
  }
  const { aboutDirectory } = await import('../../key/about-directory.ts')
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

async function importWords(context: Context, file: string | undefined): Promise<ExitCode> {
  const paths = localPaths(context)
  const { loadProfile } = await import('../../../config/network-profile.ts')
  const profile = loadProfile(localConfig(context).network)
  const { readWords } = await import('../../key/words.ts')
  const seed = await readWords(context, file)
  const { importOwnerSeed } = await import('../../../data-directory/open.ts')
  const imported = importOwnerSeed(paths, profile, seed, new Date().toISOString())
  context.output.answer({ imported, data_dir: paths.root }, () =>
    imported ? `${paths.root} has this seed now. Its daemon can start.` : `${paths.root} had this seed already.`
  )
  return EXIT.ok
}

const SEED_PASSPHRASE = 'its first line is the passphrase of a sealed seed; "-": standard input (default: asked for)'

/**
 * key show, check, import, passphrase. They read and write the data directory: the words never go through the HTTP
 * interface.
 */
export function addKeyCommands(program: Command, run: Run): void {
  const key = program
    .command('key')
    .description('the 24 words that your names belong to (in the data directory; no daemon needed)')
    .helpCommand(false)

  key
    .command('show')
    .description('print the 24 words, after a confirmation')
    .option('-y, --yes', 'do not ask; needed where nobody can answer')
    .option('--seed-passphrase-file <file>', SEED_PASSPHRASE)
    .action(action(run, (context, options: { yes?: boolean; seedPassphraseFile?: string }) => show(context, options)))

  key
    .command('check')
    .argument('[file]', '24 words; "-" or no terminal: standard input; default: they are asked for')
    .description(
      'check whether these are the words of the data directory, and record that they are (exit code 1: they are not)'
    )
    .option('--seed-passphrase-file <file>', SEED_PASSPHRASE)
    .action(
      action(run, (context, options: { seedPassphraseFile?: string }, file: string | undefined) =>
        check(context, options, file)
      )
    )

  key
    .command('import')
    .argument('[file]', '24 words; "-" or no terminal: standard input; default: they are asked for')
    .description('write the 24 words to a new data directory, or back to their own; never replaces another seed')
    .action(action(run, (context, _options: unknown, file: string | undefined) => importWords(context, file)))

  key
    .command('passphrase')
    .description(
      'set, change or remove the passphrase of the seed. With one, the daemon starts locked until it ' +
        'gets it. Stop the daemon first'
    )
    .option('--remove', 'take the passphrase off: the words are in clear again')
    .option(
      '--passphrase-file <file>',
      'its first line is the new passphrase; "-": standard input (default: asked for twice)'
    )
    .option('--seed-passphrase-file <file>', SEED_PASSPHRASE)
    .action(
      action(run, async (context, options: PassphraseOptions) => {
        const { setPassphrase } = await import('../../key/passphrase.ts')
        return setPassphrase(context, options)
      })
    )
}
