/** The beacon that the daemon follows: the configured relays, drand's own, or on network `local` one of its own. */
import { createBeaconClient } from '../beacon/client.ts'
import { startDevBeacon } from '../beacon/dev-beacon.ts'
import type { BeaconClient } from '../beacon/types.ts'
import type { NativePool } from '../native/types.ts'
import { DEV_BEACON_CHAIN } from '../protocol/profile/built-in.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import type { Lifecycle } from './lifecycle.ts'

/** drand's public relays for quicknet (docs.drand.love). */
const PUBLIC_BEACONS = [
  'https://api.drand.sh',
  'https://api2.drand.sh',
  'https://api3.drand.sh',
  'https://drand.cloudflare.com'
]

interface BeaconParts {
  readonly profile: NetworkProfile
  readonly urls: readonly string[]
  readonly pool: NativePool
  readonly warn: (message: string) => void
  readonly life: Lifecycle
  /** A round that was out in an earlier run. */
  readonly knownRound: number
}

/** A client that is not started yet, and the addresses that it asks. */
export async function createBeacon({
  profile,
  urls,
  pool,
  warn,
  life,
  knownRound
}: BeaconParts): Promise<{ readonly beacon: BeaconClient; readonly beaconUrls: readonly string[] }> {
  let beaconUrls = urls
  let client: BeaconClient | undefined = undefined
  if (beaconUrls.length === 0 && profile.beacon.chain_hash === DEV_BEACON_CHAIN.chain_hash) {
    const devBeacon = await startDevBeacon({
      host: '127.0.0.1',
      port: 0,
      profileBeacon: profile.beacon,
      known: () => Math.max(knownRound, client?.latest()?.round ?? 0)
    })
    life.onStop('dev beacon', () => devBeacon.close())
    beaconUrls = [devBeacon.url]
  } else if (beaconUrls.length === 0) {
    beaconUrls = PUBLIC_BEACONS
  }
  client = createBeaconClient({ chain: profile.beacon, urls: beaconUrls, pool, warn })
  return { beacon: client, beaconUrls }
}
