/** The farm that the configuration names. */
import type { Config } from '../config/config.ts'
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

/** Not started yet. Its client is loaded only where there is one. */
export async function createFarm({ settings, profile, pool, log }: FarmSources): Promise<Farm | undefined> {
  const { farm: url, farm_credentials: credentials, farm_ca: ca } = settings
  if (url === '') return undefined
  const [{ Farm }, { farmNetwork }] = await Promise.all([import('../farm/farm.ts'), import('../farm/messages.ts')])
  return new Farm({ address: { url, credentials, ca, network: farmNetwork(profileHash(profile)) }, pool, log })
}
