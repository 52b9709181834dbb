/**
 * The measured network: `main` in its diversity, its quorums and its scope. But stamps cost less, and names settle
 * within an hour instead of a day, so that few hourly rounds fall into it.
 */
import { roundsIn } from '../../src/protocol/time.ts'
import { main } from '../../src/protocol/profile/built-in.ts'
import { parseProfile, type NetworkProfile } from '../../src/protocol/profile/profile.ts'

/** @param changes fields of the profile to set otherwise. Throws ProfileError. */
export function availabilityProfile(changes: object = {}): NetworkProfile {
  return parseProfile({ ...main, id: 'availability', stamp_bits: 4, settle: roundsIn(3600, main.beacon), ...changes })
}
