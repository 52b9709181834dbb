/**
 * The network of the flood: profile `test` with the prefix limits of `main`, but names that cost few squarings, so that
 * honest claims come soon. Verification costs the same.
 */
import { parseProfile } from '../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'

export const FLOOD_PROFILE = parseProfile({
  ...builtInProfiles.test,
  id: 'flood',
  answers_per_prefix: 2,
  answers_per_wide_prefix: 4,
  difficulty: { base: 20_000, by_length: [{ from: 1, factor: 1 }] }
})
