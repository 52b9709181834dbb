/** The networks that need no profile file. */
import * as data from './built-in-data.ts'
import { parseProfile, type NetworkProfile } from './profile.ts'

export type BuiltInProfileId = 'local' | 'test' | 'main'

export const builtInProfiles: Readonly<Record<BuiltInProfileId, NetworkProfile>> = {
  local: parseProfile(data.local),
  test: parseProfile(data.test),
  main: parseProfile(data.main)
}
