/** The farm that the configuration names. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { ServiceError } from '../errors.ts'
import type { Farm } from '../farm/farm.ts'
import type { Logger } from '../log.ts'
import type { NativePool } from '../native/types.ts'
import { type NetworkProfile, profileHash } from '../protocol/profile/profile.ts'

interface FarmSources {
  readonly settings: Config['vdf']
  readonly profile: NetworkProfile
  readonly pool: NativePool
  readonly log: Logger
}

/** Not started yet. Its client is loaded only where there is one. Throws SVC-CFG-001 for files that can't open it. */
export async function createFarm({ settings, profile, pool, log }: FarmSources): Promise<Farm | undefined> {
  const { farm: url, farm_ca: ca, farm_replicas: replicas } = settings
  if (url === '') return undefined
  const credentials = credentialsOf(settings.farm_credentials, log)
  if (credentials === undefined) return undefined
  const { requireFitFiles, UnfitFile } = await import('../farm/credentials.ts')
  try {
    requireFitFiles({ credentials, ca })
  } catch (error) {
    if (error instanceof UnfitFile)
      throw new ServiceError('SVC-CFG-001', `vdf.farm_credentials or vdf.farm_ca: ${error.message}`, { cause: error })
    throw error
  }
  const [{ Farm }, { farmNetwork }] = await Promise.all([import('../farm/farm.ts'), import('../farm/messages.ts')])
  const network = farmNetwork(profileHash(profile))
  return new Farm({ address: { url, credentials, ca, network, replicas }, pool, log })
}

/** Earlier releases took a folder with a file for each account: that of a single one serves, and of others none. */
function credentialsOf(path: string, log: Logger): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return path
  // Kubernetes keeps versions of a folder beside its files, with a dot before.
  const files = readdirSync(path).filter((file) => !file.startsWith('.'))
  const only = files.length === 1 ? join(path, files[0]!) : undefined
  const outcome = only === undefined ? 'no farm is used, and all is evaluated here' : `${only} is used`
  log.warn(
    `vdf.farm_credentials is the folder ${path}: a farm has one account now, so ${outcome}. Name the file with the key of your own machines`
  )
  return only
}
