import { createBeaconClient } from '../../beacon/client.ts'
import { signDevPulse } from '../../beacon/dev-beacon.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type { NativePool } from '../../native/types.ts'
import { clockRound, roundTimeMs } from '../../protocol/time/beacon-time.ts'
import { DEV_BEACON_CHAIN } from '../../protocol/profile/dev-beacon.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Context } from '../context.ts'
import { usageFailure } from '../failures/failure.ts'
import { localConfig } from '../connection/location.ts'

/** The League of Entropy's HTTP relays (https://docs.drand.love). */
const DRAND_RELAYS = ['https://api.drand.sh', 'https://api2.drand.sh', 'https://api3.drand.sh']

export interface PulseSource {
  /** The signature itself, given on the command line. */
  pulse?: Uint8Array
  beaconUrl?: string[]
}

/** The round now, by the clock. */
export function currentRound(profile: NetworkProfile): number {
  return clockRound(Date.now(), profile.beacon)
}

/** The verified signature of a round; waits for a round that is still to come. */
export async function pulseOf(
  context: Context,
  pool: NativePool,
  profile: NetworkProfile,
  round: number,
  source: PulseSource
): Promise<Uint8Array> {
  const { signal } = context
  const publicKey = new Uint8Array(Buffer.from(profile.beacon.public_key, 'hex'))
  if (source.pulse !== undefined) {
    if (await pool.verifyPulse({ publicKey, round, signature: source.pulse })) return source.pulse
    throw usageFailure(`--pulse is not the pulse of round ${round} of this network's beacon`)
  }
  const urls = source.beaconUrl ?? localConfig(context).beacon.urls
  // The dev beacon's key is public: its pulses need no server.
  if (urls.length === 0 && profile.beacon.public_key === DEV_BEACON_CHAIN.public_key) {
    await delay(Math.max(0, roundTimeMs(round, profile.beacon) - Date.now()), undefined, { signal })
    return signDevPulse(round)
  }
  const client = createBeaconClient({
    chain: profile.beacon,
    urls: urls.length === 0 ? DRAND_RELAYS : urls,
    pool,
    warn: (message) => context.output.note(message)
  })
  try {
    return (await client.waitFor(round, signal)).signature
  } finally {
    client.stop()
  }
}
