/** The networks that are tried on a wide area: public, so that reach and prefixes count as on `main`. */
import { main, test } from '../../src/protocol/profile/built-in.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'

/** Rounds of a second. */
const DAY = 24 * 3600

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

/** The diversity and quorums of `main`. A name settles within a day: two cores cannot ask for sixty nodes' names sooner. */
export const MANY: NetworkProfile = {
  ...FEW,
  id: 'wide-area-many',
  k: main.k,
  witness_quorum: main.witness_quorum,
  repair_quorum: main.repair_quorum,
  answers_per_prefix: main.answers_per_prefix,
  answers_per_wide_prefix: main.answers_per_wide_prefix,
  settle: DAY,
  lease: 30 * DAY
}

/** Names settle, are renewed and end within a soak. */
export const SHORT_LEASES: NetworkProfile = {
  ...MANY,
  id: 'wide-area-soak',
  settle: 60,
  provisional_settle: 120,
  pin_after: 120,
  lease: 480,
  grace: 240
}
