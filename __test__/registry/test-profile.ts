/** Network `local`, whose stamps cost nothing. */
import { parseProfile, type NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'

export const profile: NetworkProfile = parseProfile({ ...builtInProfiles.local, stamp_bits: 0 })
