/**
 * The network that is measured: `test` with names that cost little, so that what is measured is the network and not the
 * squarings.
 */
import { createHash } from 'node:crypto'
import { roundsIn } from '../../src/protocol/time.ts'
import {
  main,
  test,
  DEV_BEACON_CHAIN,
  DEV_BEACON_GROUP_HASH,
  DEV_BEACON_ID
} from '../../src/protocol/profile/built-in.ts'
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

/** `main` with the development beacon in place of drand's, and as many seconds a round. */
export const MAIN_WITH_DEV_BEACON = parseProfile({
  ...main,
  id: 'bench-main',
  beacon: { ...DEV_BEACON_CHAIN, period: main.beacon.period, chain_hash: devChainHash(main.beacon.period) }
})

/** drand's formula, see dev-beacon.ts. `period`: seconds. */
function devChainHash(period: number): string {
  const head = Buffer.alloc(12)
  head.writeUInt32BE(period, 0)
  head.writeBigInt64BE(BigInt(DEV_BEACON_CHAIN.genesis), 4)
  return createHash('sha256')
    .update(head)
    .update(Buffer.from(DEV_BEACON_CHAIN.public_key, 'hex'))
    .update(Buffer.from(DEV_BEACON_GROUP_HASH, 'hex'))
    .update(DEV_BEACON_ID)
    .digest('hex')
}
