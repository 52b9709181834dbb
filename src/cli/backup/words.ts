import { requireEmptyDirectory, wantedRecords, writeDirectory } from '../../backup/restore.ts'
import { seedToWords } from '../../protocol/crypto/keys.ts'
import { canonicalName, parseName } from '../../protocol/name/names.ts'
import { parseDid } from '../../protocol/identity/did.ts'
import { dataPaths } from '../../data-directory/paths.ts'
import { noteBackup } from '../../data-directory/seed-safety.ts'
import type { Context } from '../context.ts'
import { spellOne } from '../input/names.ts'
import { askLine, hasPerson } from '../questions/consent.ts'
import { EXIT, type ExitCode } from '../failures/exit-codes.ts'
import { Failure } from '../failures/failure.ts'
import { readWords } from '../key/words.ts'
import { loadProfile } from '../profile.ts'
import { plural } from '../terminal/format.ts'
import { sealedFor, startLine, type RestoreOptions } from './restore.ts'
import { requireOriginalGone, targetDirectory } from './target.ts'

/** `chronym restore --words`: a new directory with this seed; its daemon looks for the names in the network. */
export async function restoreWords(context: Context, options: RestoreOptions): Promise<ExitCode> {
  const profile = loadProfile(context, options.network)
  const root = targetDirectory(context, profile)
  requireEmptyDirectory(root)
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
    'the others follow by themselves if that name keeps the list of names (backup.list_in); else name each of them',
    'what was found: chronym names'
  ]
  context.output.answer({ data_dir: root, network, wanted: [...names, ...dids] }, () =>
    [`made ${root} with the seed of these words, for network ${profile.id}`, startLine(root, network), ...next].join(
      '\n'
    )
  )
  return EXIT.ok
}

/** Before the words, so that a typing error costs no second try at these. Nothing is asked where nobody can answer. */
async function askForName(context: Context, { did, yes }: RestoreOptions, suffix: string): Promise<string[]> {
  if (did !== undefined || yes === true || !hasPerson(context)) return []
  const name = await askLine(
    context,
    'One of your names, best the one that keeps the list of all others (backup.list_in); empty: none.\nName:'
  )
  if (name === undefined)
    throw new Failure('CLI-INT-001', 'interrupted; nothing was written', { exitCode: EXIT.interrupted })
  return name === '' ? [] : [await spellOne(context, name, () => Promise.resolve(suffix))]
}
