/** Reveals that a node checks per second of processor time, which other work on the machine does not change. */
import { join } from 'node:path'
import { createBeaconClient } from '../../src/beacon/client.ts'
import { startDevBeacon } from '../../src/beacon/dev-beacon.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import { createBudget } from '../../src/network/budget/budget.ts'
import { createRoundClock } from '../../src/time/clock.ts'
import { Holder } from '../../src/network/holder/holder.ts'
import { createVerifier } from '../../src/network/holder/verifier.ts'
import { keyPairFromSeed } from '../../src/protocol/crypto/ed25519.ts'
import { encodeReveal } from '../../src/protocol/claim/reveal.ts'
import { openStore } from '../../src/store/open.ts'
import { devPulse, draft, reveal } from './claims.ts'
import { namesOf } from './owner.ts'
import { PROFILE } from './profile.ts'
import { say, scratchDirectory } from './scratch.ts'
import { until } from './waiting.ts'

/** Repetitions of a remembered verdict: one takes microseconds. */
const REPETITIONS = 20
const OFFERER = { peer: 'a peer', prefix: 'its prefix' }
/** By the budgets' clock between two offers: none of them is ever `busy`. */
const HOUR_MS = 3_600_000

export interface Verification {
  readonly reveals: number
  /** Valid, all rules: each with a pulse and a proof that were never seen before. */
  readonly valid_cold_per_core_second: number
  /** Valid again: pulse and proof have a verdict, everything else is checked again. */
  readonly valid_cached_per_core_second: number
  /** Offered by a peer, valid, admitted and on disk; all of one pulse, which is held. */
  readonly admitted_per_core_second: number
  /** Offered again by a peer as they are held. */
  readonly offered_again_per_core_second: number
}

export async function measureVerification(count: number, seed: string): Promise<Verification> {
  say(`verifying ${count} reveals`)
  const beaconServer = await startDevBeacon({ host: '127.0.0.1', port: 0, profileBeacon: PROFILE.beacon })
  const pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
  const beacon = createBeaconClient({ chain: PROFILE.beacon, urls: [beaconServer.url], pool })
  const store = openStore(join(scratchDirectory(), 'chronym.db'))
  try {
    const verifier = createVerifier(PROFILE, beacon, pool)
    const valid = async (reveals: readonly Parameters<typeof verifier.validate>[0][]): Promise<void> => {
      for (const each of reveals) {
        if (!(await verifier.validate(each)).ok) throw new Error(`${each.name} is not valid`)
      }
    }
    const each = namesOf(count, 'valid').map((name, index) => reveal(draft(name, seed), devPulse(1_000_000 + index)))
    const warmUp = namesOf(20, 'warm').map((name, index) => reveal(draft(name, seed), devPulse(2_000_000 + index)))
    await valid(warmUp)
    const cold = await perCoreSecond(count, () => valid(each))
    const cached = await perCoreSecond(count * REPETITIONS, async () => {
      for (let turn = 0; turn < REPETITIONS; turn++) await valid(each)
    })

    beacon.start()
    await until('the beacon has a pulse', () => beacon.latest() !== undefined)
    const clock = createRoundClock(beacon, PROFILE, store, Date.now)
    let elapsed = 0
    const holder = new Holder({
      profile: PROFILE,
      store,
      clock,
      verifier,
      judge: pool,
      budget: createBudget(false, () => (elapsed += HOUR_MS)),
      nodeKey: keyPairFromSeed(new Uint8Array(32).fill(1)),
      peers: () => undefined,
      fetchIdentities: () => Promise.resolve({ records: [], shownBy: [], isAnswered: true }),
      onStored: () => undefined
    })
    const drafts = namesOf(count, 'offered').map((name) => draft(name, seed))
    for (const { commitment, nonce } of drafts) holder.commit(commitment, nonce, OFFERER.prefix)
    const pulse = await beacon.waitFor(beacon.now() + PROFILE.min_commit)
    const records = drafts.map((each) => encodeReveal(reveal(each, pulse)))
    const offer = async (): Promise<void> => {
      for (const record of records) {
        const answer = await holder.put('reveal', record, OFFERER)
        if (answer.type !== 'stored') throw new Error(`not stored: ${JSON.stringify(answer)}`)
      }
    }
    const admitted = await perCoreSecond(count, offer)
    const again = await perCoreSecond(count, offer)
    return {
      reveals: count,
      valid_cold_per_core_second: cold,
      valid_cached_per_core_second: cached,
      admitted_per_core_second: admitted,
      offered_again_per_core_second: again
    }
  } finally {
    beacon.stop()
    await pool.close()
    store.close()
    await beaconServer.close()
  }
}

/** Of this process with all its threads. */
async function perCoreSecond(count: number, run: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return Math.round((count * 1e6) / (user + system))
}
