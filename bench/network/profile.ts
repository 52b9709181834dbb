/**
 * The network that is measured: `test` with names that cost little, so that what is measured is the network and not the
 * squarings.
 */
import { roundsIn } from '../../src/protocol/time/beacon-time.ts'
import { test } from '../../src/protocol/profile/built-in-data.ts'
import { parseProfile, profileHash } from '../../src/protocol/profile/profile.ts'

/**
 * All nodes of a benchmark have loopback addresses, so `test` suits, which has no limit on answers of one prefix. k is
 * the protocol's, 20. Names settle within a day, as on `main`. Settling within minutes would cost 1,600 questions a
 * name, and one machine would do nothing else for all its nodes.
 */
export const PROFILE = parseProfile({
  ...test,
  id: 'bench',
  difficulty: { base: 1_000, by_length: [{ from: 1, factor: 1 }] },
  stamp_bits: 4,
  settle: roundsIn(24 * 3600, test.beacon),
  lease: 30 * 24 * 3600
})

export const PROFILE_HASH = profileHash(PROFILE)
