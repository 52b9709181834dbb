/** The networks that are tried on a wide area: public, so that reach and prefixes count as on `main`. */
import { test } from '../../src/protocol/profile/built-in.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'

/** With a k that a few nodes fill. */
export const FEW: NetworkProfile = {
  ...test,
  id: 'wide-area',
  scope: 'public',
  difficulty: { base: 1_100_000, by_length: [{ from: 1, factor: 1 }] },
  stamp_bits: 6,
  contest: 1,
  k: 4,
  witness_quorum: 2,
  repair_quorum: 3,
  answers_per_prefix: 2,
  answers_per_wide_prefix: 4
}
