/** Where a restore goes, and for which network. */
import { createInterface } from 'node:readline/promises'
import { BackupError } from '../../backup/errors.ts'
import { configFromEnvironment, configFromFile, mergeConfig } from '../../config.ts'
import { loadProfile } from '../../network-profile.ts'
import { defaultConfigFile, defaultDataDir } from '../../paths.ts'
import { toHex } from '../../protocol/bytes.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure, usageFailure } from '../failure.ts'
import { localConfig } from '../location.ts'

/** The new data directory: the one named, or the user's own for that network. */
export function targetDirectory(context: Context, profile: NetworkProfile): string {
  const { data_dir: named } = localConfig(context)
  return named === '' ? defaultDataDir(profile.id) : named
}

/** Refuses a backup of another network than the one that the option, the environment or the configuration file names; where none does, the backup decides. */
export function requireNetworkAskedFor(context: Context, option: string | undefined, profile: NetworkProfile): void {
  const named = context.env['CHRONYM_CONFIG']
  const asked = option ?? (mergeConfig(configFromFile(named ?? defaultConfigFile(), named !== undefined), configFromEnvironment(context.env))['network'] as string | undefined)
  if (asked === undefined) return
  const wanted = loadProfile(asked)
  if (toHex(profileHash(wanted)) === toHex(profileHash(profile))) return
  const which = wanted.id === profile.id ? `network ${profile.id} with other numbers` : `network ${profile.id}`
  throw new BackupError('network', `this backup is of ${which}, not of ${asked}`, `Leave --network out, or name the right one; see the configuration too. Nothing was written.`)
}

const WARNING = 'Two daemons with one seed spoil each other: they sign different zones under one number, and peers believe one of them.'

/** The user's word that no other daemon uses the seed. Scripts give `--yes`. */
export async function requireOriginalGone(context: Context, yes: boolean): Promise<void> {
  context.output.note(WARNING)
  if (yes) return
  const { stdin } = context
  const cure = 'Stop the original daemon first; then give --yes.'
  if ((stdin as { isTTY?: boolean }).isTTY !== true) throw usageFailure('nobody can be asked whether the original daemon is gone or stopped', cure)
  const prompt = createInterface({ input: stdin, output: process.stderr })
  const closed = new Promise<undefined>((resolve) => prompt.once('close', () => resolve(undefined)))
  try {
    const answer = await Promise.race([prompt.question('Is the original gone or stopped? [y/N] '), closed])
    if (answer === undefined || !/^(?:y|yes)$/iu.test(answer.trim())) throw new Failure('CLI-INT-001', 'not restored; nothing was written', { exitCode: EXIT.interrupted, cure })
  } finally {
    prompt.close()
  }
}
