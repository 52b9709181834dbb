import { BackupError } from '../../backup/container.ts'
import { shellWord } from '../../util/shell-commands.ts'
import { writeDirectory, wantedRecords } from '../../backup/restore.ts'
import { sealSeed } from '../../backup/sealed-seed.ts'
import { toHex } from '../../protocol/encoding/bytes.ts'
import { seedToWords, wordsToSeed } from '../../protocol/crypto/keys.ts'
import { type NetworkProfile, profileHash } from '../../protocol/profile/profile.ts'
import { canonicalName, parseName } from '../../protocol/name/names.ts'
import { parseDid } from '../../protocol/identity/did.ts'
import { dataPaths } from '../../data-directory/paths.ts'
import { noteBackup } from '../../data-directory/seed-safety.ts'
import { configFromEnvironment, mergeConfig } from '../../config/config.ts'
import { configFileOf, readConfigFile } from '../../config/config-file.ts'
import type { Context } from '../context.ts'
import { EXIT, Failure, usageFailure } from '../failures/failure.ts'
import { askLine, hasPerson, newPassphrase, requireConsent } from '../input/questions.ts'
import { plural } from '../../util/words.ts'
import { formatRelative, printable } from '../terminal/format.ts'
import { spellOne } from '../input/names.ts'
import { readWords } from '../key/seed.ts'
import { loadProfile } from '../connection/location.ts'
import { contentsText } from './create.ts'
import { openBackup, summaryLines, verified } from './open.ts'
import { type RestoreOptions, requirePlace, targetBeforehand, targetDirectory } from './place.ts'

/** `chronym restore FILE`: everything is verified before anything is written. */
export async function restoreFile(context: Context, options: RestoreOptions, file: string): Promise<void> {
  requireOneSecretFromInput(options)
  const askedFor = networkAskedFor(context, options.network)
  // No passphrase is asked for where the place is taken.
  const place = targetBeforehand(context, askedFor?.wanted)
  if (place !== undefined) requirePlace(place, options, file)
  const { contents, mute, sealAgainIfFormer } = await openBackup(context, options, file)
  const { profile } = contents
  if (askedFor !== undefined) requireNetwork(askedFor, profile)
  const root = targetDirectory(context, profile)
  requirePlace(root, options, file)
  const summary = await verified(contents)
  const sealed = await sealedFor(context, options, wordsToSeed(contents.words))
  await requireOriginalGone(context, options.yes === true)
  const network = writeDirectory(root, contents, { sealed })
  await sealAgainIfFormer()
  for (const did of mute)
    context.output.note(
      `• the manifest of ${printable(did)} is left out: the identity has other keys since. Publish it again: chronym manifest publish`
    )
  const made = new Date(contents.createdMs).toISOString()
  context.output.answer({ data_dir: root, network, backup_created_at: made, ...summary }, () =>
    [
      `restored to ${root}: ${contentsText(summary)}`,
      ...summaryLines(summary),
      `the backup was made ${formatRelative(made, Date.now())} (${made}); what is newer comes from the network`,
      startLine(root, network)
    ].join('\n')
  )
}

function requireOneSecretFromInput({ passphraseFile, identity, seedPassphraseFile }: RestoreOptions): void {
  if (seedPassphraseFile === '-' && (passphraseFile === '-' || identity === '-'))
    throw usageFailure('only one secret can come from standard input')
}

/** The sealed seed of the new directory, where a passphrase for it was given. */
async function sealedFor(
  context: Context,
  { seedPassphraseFile }: RestoreOptions,
  seed: Uint8Array
): Promise<string | undefined> {
  if (seedPassphraseFile === undefined) return undefined
  return sealSeed(seed, await newPassphrase(context, seedPassphraseFile, ''))
}

function startLine(root: string, network: string): string {
  return `start it: chronym daemon --network ${shellWord(network)} --data-dir ${shellWord(root)}`
}

/** `chronym restore --words`: a new directory with this seed; its daemon looks for the names in the network. */
export async function restoreWords(context: Context, options: RestoreOptions): Promise<void> {
  const profile = loadProfile(context, options.network)
  const root = targetDirectory(context, profile)
  requirePlace(root, options)
  const named = options.name ?? (await askForName(context, options, profile.tld))
  const names = named.map((name) => parseName(canonicalName(name), profile))
  const dids = (options.did ?? []).map((did) => parseDid(did, profile))
  const seed = await readWords(context, undefined)
  const sealed = await sealedFor(context, options, seed)
  await requireOriginalGone(context, options.yes === true)
  const records = wantedRecords(seed, profile, { ids: [...names, ...dids], sinceMs: Date.now() })
  const network = writeDirectory(root, { profile, words: seedToWords(seed), records, files: [] }, { sealed })
  // Who has typed them has them.
  noteBackup(dataPaths(root), { words_checked_at: new Date().toISOString() })
  const next = [
    names.length === 0
      ? 'then name one that you own: chronym adopt NAME'
      : `it looks for ${plural(names.length, 'name')}`,
    'name each other one too: chronym adopt NAME',
    'what was found: chronym names'
  ]
  context.output.answer({ data_dir: root, network, wanted: [...names, ...dids] }, () =>
    [`made ${root} with the seed of these words, for network ${profile.id}`, startLine(root, network), ...next].join(
      '\n'
    )
  )
}

/** Before the words, so that a typing error costs no second try at these. Nothing is asked where nobody can answer. */
async function askForName(context: Context, { did, yes }: RestoreOptions, suffix: string): Promise<string[]> {
  if (did !== undefined || yes === true || !hasPerson(context)) return []
  const name = await askLine(context, 'One of your names; empty: none.\nName:')
  if (name === undefined)
    throw new Failure('CLI-INT-001', 'interrupted; nothing was written', { exitCode: EXIT.interrupted })
  return name === '' ? [] : [await spellOne(context, name, () => Promise.resolve(suffix))]
}

interface NetworkAskedFor {
  readonly asked: string
  readonly wanted: NetworkProfile
}

/** The network that the option, the environment or the configuration file names; where none does, the backup decides. */
function networkAskedFor(context: Context, option: string | undefined): NetworkAskedFor | undefined {
  const asked =
    option ??
    (mergeConfig(readConfigFile(configFileOf(context.env)), configFromEnvironment(context.env))['network'] as
      string | undefined)
  return asked === undefined ? undefined : { asked, wanted: loadProfile(context, asked) }
}

/** Refuses a backup of another network. */
function requireNetwork({ asked, wanted }: NetworkAskedFor, profile: NetworkProfile): void {
  if (toHex(profileHash(wanted)) === toHex(profileHash(profile))) return
  const which = wanted.id === profile.id ? `network ${profile.id} with other numbers` : `network ${profile.id}`
  throw new BackupError(
    'network',
    `this backup is of ${which}, not of ${asked}`,
    `Leave --network out, or name the right one; see the configuration too. Nothing was written.`
  )
}

const WARNING =
  'Two daemons with one seed conflict: they sign different zones with the same serial, and peers believe only one'

/** The user's word that no other daemon uses the seed. Scripts give `--yes`. Throws as {@link requireConsent} does. */
async function requireOriginalGone(context: Context, yes: boolean): Promise<void> {
  if (yes) context.output.note(`${WARNING}.`)
  await requireConsent(context, {
    cost: WARNING,
    question: 'Is the original gone or stopped?',
    isGiven: yes,
    refusal: 'without a terminal nobody can say whether the original daemon is gone or stopped',
    cure: 'Stop the original daemon first; then give --yes.',
    declined: 'not restored; nothing was written. Stop the original daemon first'
  })
}
