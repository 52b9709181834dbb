/** Where a restore makes its directory, and what to type where that place is taken. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { BackupError } from '../../backup/container.ts'
import { requireEmptyDirectory } from '../../backup/restore.ts'
import { defaultDataDir } from '../../data-directory/paths.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { shellWord } from '../../util/shell-commands.ts'
import { localConfig } from '../connection/location.ts'
import type { Context } from '../context.ts'
import type { OpeningOptions } from './open.ts'

export interface RestoreOptions extends OpeningOptions {
  words?: boolean
  name?: string[]
  did?: string[]
  seedPassphraseFile?: string
  network?: string
  yes?: boolean
}

/** The new data directory: the one named, or the user's own for that network. */
export function targetDirectory(context: Context, profile: NetworkProfile): string {
  const { data_dir: named } = localConfig(context)
  return named === '' ? defaultDataDir(profile.id) : named
}

/** The same before the backup is open; undefined where only the backup can say. */
export function targetBeforehand(context: Context, profile: NetworkProfile | undefined): string | undefined {
  if (profile !== undefined) return targetDirectory(context, profile)
  const { data_dir: named } = localConfig(context)
  return named === '' ? undefined : named
}

/** Throws BackupError `occupied`; the cure is the same command for a place that is free. */
export function requirePlace(root: string, options: RestoreOptions, file?: string): void {
  try {
    requireEmptyDirectory(root)
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    const cure = `Restore into another: \`${sameCommandFor(freePlace(root), options, file)}\`. Or move this one away.`
    throw new BackupError(error.code, error.message, cure, { cause: error })
  }
}

/** Beside the one that is taken. */
function freePlace(root: string): string {
  let place = `${resolve(root)}-restored`
  for (let count = 2; existsSync(place); count++) place = `${resolve(root)}-restored-${count}`
  return place
}

function sameCommandFor(place: string, options: RestoreOptions, file: string | undefined): string {
  const { words, name = [], did = [], identity, passphraseFile, seedPassphraseFile, network, yes } = options
  const valued: (readonly [string, string | undefined])[] = [
    ...name.map((each) => ['--name', each] as const),
    ...did.map((each) => ['--did', each] as const),
    ['--identity', identity],
    ['--passphrase-file', passphraseFile],
    ['--seed-passphrase-file', seedPassphraseFile],
    ['--network', network]
  ]
  return [
    'chronym',
    '--data-dir',
    place,
    'restore',
    ...(words === true ? ['--words'] : []),
    ...(file === undefined ? [] : [file]),
    ...valued.flatMap(([option, value]) => (value === undefined ? [] : [option, value])),
    ...(yes === true ? ['--yes'] : [])
  ]
    .map(shellWord)
    .join(' ')
}
