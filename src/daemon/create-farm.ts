/** The farm that the configuration names. */
import { readdirSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import { ServiceError } from '../errors.ts'
import type { FarmAccounts } from '../farm/accounts.ts'
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

/** Of one account of the server, or of several. */
export type WholeFarm = Farm | FarmAccounts

/** Not started yet. Its client is loaded only where there is one. Throws SVC-CFG-001 for a folder without credentials. */
export async function createFarm({ settings, profile, pool, log }: FarmSources): Promise<WholeFarm | undefined> {
  const { farm: url, farm_credentials: credentials, farm_ca: ca, farm_replicas: replicas } = settings
  if (url === '') return undefined
  const [{ Farm }, { FarmAccounts }, { farmNetwork }] = await Promise.all([
    import('../farm/farm.ts'),
    import('../farm/accounts.ts'),
    import('../farm/messages.ts')
  ])
  const network = farmNetwork(profileHash(profile))
  const farmOf = (file: string, account?: string): Farm =>
    new Farm({
      address: { url, credentials: file, ca, network, replicas },
      ...(account !== undefined && { account }),
      pool,
      log
    })
  if (statSync(credentials, { throwIfNoEntry: false })?.isDirectory() !== true) return farmOf(credentials)
  return new FarmAccounts(
    credentialsIn(credentials).map((file) => farmOf(join(credentials, file), basename(file, extname(file))))
  )
}

/** Kubernetes keeps versions of a folder beside its files, with a dot before. */
function credentialsIn(folder: string): readonly string[] {
  const files = readdirSync(folder)
    .filter((file) => !file.startsWith('.'))
    .sort()
  if (files.length === 0)
    throw new ServiceError('SVC-CFG-001', `vdf.farm_credentials: ${folder} has no file: put one in for each account`)
  return files
}
