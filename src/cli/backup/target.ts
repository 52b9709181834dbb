/** Where a restore goes, and for which network. */
import { BackupError } from '../../backup/container.ts'
import { configFromEnvironment, configFromFile, mergeConfig } from '../../config/config.ts'
import { loadProfile } from '../../config/network-profile.ts'
import { defaultConfigFile, defaultDataDir } from '../../data-directory/paths.ts'
import { toHex } from '../../protocol/encoding/bytes.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile/profile.ts'
import { requireConsent } from '../questions/consent.ts'
import type { Context } from '../context.ts'
import { localConfig } from '../connection/location.ts'

/** The new data directory: the one named, or the user's own for that network. */
export function targetDirectory(context: Context, profile: NetworkProfile): string {
  const { data_dir: named } = localConfig(context)
  return named === '' ? defaultDataDir(profile.id) : named
}

/**
 * Refuses a backup of another network than the one that the option, the environment or the configuration file names;
 * where none does, the backup decides.
 */
export function requireNetworkAskedFor(context: Context, option: string | undefined, profile: NetworkProfile): void {
  const named = context.env['CHRONYM_CONFIG']
  const asked =
    option ??
    (mergeConfig(configFromFile(named ?? defaultConfigFile(), named !== undefined), configFromEnvironment(context.env))[
      'network'
    ] as string | undefined)
  if (asked === undefined) return
  const wanted = loadProfile(asked)
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
export async function requireOriginalGone(context: Context, yes: boolean): Promise<void> {
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
