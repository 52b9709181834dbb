/**
 * The development beacon: real BLS signatures by a public test key, over drand's HTTP API. For networks that promise no
 * security.
 */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { clockRound } from '../protocol/time/beacon-time.ts'
import {
  DEV_BEACON_CHAIN,
  DEV_BEACON_GROUP_HASH,
  DEV_BEACON_ID,
  DEV_BEACON_SECRET_KEY
} from '../protocol/profile/dev-beacon.ts'
import { pulseMessage } from '../protocol/time/pulse.ts'
import { BoundedMap } from '../util/bounded-map.ts'
import { serveBeacon, type BeaconServer, type PulseSupply } from './server.ts'
import { BeaconError, type BeaconChain } from './types.ts'

/** drand `crypto/schemes.go`, bls-unchained-g1-rfc9380. */
const DST = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'
/** Signing takes milliseconds, and every node asks for the same few rounds. */
const SIGNATURES_HELD = 4096

export interface DevBeaconOptions {
  host: string
  /** 0 takes any free port. */
  port: number
  /** The profile's beacon. Throws BEACON_WRONG_CHAIN for a chain whose key is not the public test key. */
  profileBeacon: BeaconChain
  /** Milliseconds since the epoch. */
  now?: () => number
}

export async function startDevBeacon({
  host,
  port,
  profileBeacon,
  now = Date.now
}: DevBeaconOptions): Promise<BeaconServer> {
  return await serveBeacon(devSupply(profileBeacon, now), { host, port })
}

function devSupply(chain: BeaconChain, now: () => number): PulseSupply {
  if (chain.public_key !== DEV_BEACON_CHAIN.public_key) {
    throw new BeaconError(
      'BEACON_WRONG_CHAIN',
      'this network pins another key than the development beacon has: nobody here can sign its pulses'
    )
  }
  const held = new BoundedMap<number, Uint8Array>(SIGNATURES_HELD)
  return {
    chain,
    groupHash: DEV_BEACON_GROUP_HASH,
    beaconId: DEV_BEACON_ID,
    latestRound: () => clockRound(now(), chain),
    signature(round) {
      if (round < 1) return undefined
      const known = held.get(round)
      if (known !== undefined) return known
      const signature = signDevPulse(round)
      held.set(round, signature)
      return signature
    }
  }
}

/** The dev beacon's signature on a round, 48 bytes. */
export function signDevPulse(round: number): Uint8Array {
  const { shortSignatures: bls } = bls12_381
  return bls.sign(bls.hash(pulseMessage(round), DST), Buffer.from(DEV_BEACON_SECRET_KEY, 'hex')).toBytes(true)
}
