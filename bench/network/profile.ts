/** The network that is measured: `test` with names that cost little, so that what is measured is the network and not the squarings. */
import { test } from '../../src/protocol/built-in-profiles.ts'
import { parseProfile, profileHash } from '../../src/protocol/profile.ts'

/**
 * All nodes of a benchmark have addresses of the loopback interface, so the limit on answers of one prefix is off; k is that of the protocol, 20. Holders ask each
 * other four times while a name settles: on `main` within a day. Within ten seconds that was thousands of questions a second, about names of which a network has few;
 * within five minutes all names of a benchmark are put before the first of them settles.
 */
export const PROFILE = parseProfile({
  ...test,
  id: 'bench',
  difficulty: { base: 1_000, by_length: [{ from: 1, factor: 1 }] },
  stamp_bits: 4,
  settle: 300,
  lease: 30 * 24 * 3600,
  answers_per_prefix: 0
})

export const PROFILE_HASH = profileHash(PROFILE)
