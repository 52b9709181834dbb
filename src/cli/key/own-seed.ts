/** The seed of a data directory, in clear or sealed. */
import { unsealSeed } from '../../backup/sealed-seed.ts'
import { readOwnerSeed, readSealedSeed } from '../../data-directory/seed-files.ts'
import type { DataPaths } from '../../data-directory/paths.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../failures/exit-codes.ts'
import { Failure } from '../failures/failure.ts'
import { askSecret, readSecretFile } from '../input/secret.ts'
import { localConfig } from '../connection/location.ts'

export interface OwnSeed {
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
  return { seed: await unsealSeed(sealed, await seedPassphrase(context, passphraseFile), paths.sealedSeed), sealed }
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
    cure: 'Name the data directory with --data-dir. If its seed is lost, put the words back with `chronym key import`.'
  })
}

/** The passphrase that a seed has now. */
export function seedPassphrase(context: Context, file: string | undefined): Promise<string> {
  const configured = localConfig(context).seed.passphrase_file
  const named = file ?? (configured === '' ? undefined : configured)
  return named === undefined
    ? askSecret(context, 'Passphrase of the seed', 'Give --seed-passphrase-file FILE.')
    : readSecretFile(context, named)
}
