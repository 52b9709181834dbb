import { readFileSync } from 'node:fs'
import { ServiceError } from '../errors.ts'
import { ProfileError } from '../protocol/errors.ts'
import { parseProfile, type NetworkProfile } from '../protocol/profile/profile.ts'
import { builtInProfiles } from '../protocol/profile/built-in-profiles.ts'

export function isBuiltIn(network: string): network is keyof typeof builtInProfiles {
  return Object.hasOwn(builtInProfiles, network)
}

/** `network` as in the configuration. Throws SVC-CFG-001 that names the file and the field. */
export function loadProfile(network: string): NetworkProfile {
  if (isBuiltIn(network)) return builtInProfiles[network]
  const known = Object.keys(builtInProfiles).join(', ')
  const reject = (reason: string, cause: unknown): never => {
    const message = `network "${network}" is neither one of ${known} nor a readable profile file: ${reason}`
    throw new ServiceError('SVC-CFG-001', message, { errors: [{ path: 'network', message: reason }], cause })
  }
  try {
    return parseProfile(JSON.parse(readFileSync(network, 'utf8')))
  } catch (error) {
    if (error instanceof ProfileError) return reject(error.detail, error)
    return reject((error as Error).message, error)
  }
}
