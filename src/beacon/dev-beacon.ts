/**
 * The development beacon: real BLS signatures by a public test key, over drand's HTTP API. For networks that promise no
 * security. Its rounds follow the clock forwards, and never go back: who has verified a pulse waits for later ones.
 */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { clockRound, pulseMessage } from '../protocol/time.ts'
import {
  DEV_BEACON_CHAIN,
  DEV_BEACON_GROUP_HASH,
  DEV_BEACON_ID,
  DEV_BEACON_SECRET_KEY
} from '../protocol/profile/built-in.ts'
import { BoundedMap } from '../util/bounded-map.ts'
import { serveBeacon, type BeaconServer, type PulseSupply } from './server.ts'
import { BeaconError, type BeaconChain } from './types.ts'

/** drand `crypto/schemes.go`, bls-unchained-g1-rfc9380. */
const DST = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'
/** Signing takes milliseconds, and every node asks for the same few rounds. */
const SIGNATURES_HELD = 4096

interface DevBeaconOptions {
  host: string
  /** 0 takes any free port. */
  port: number
  /** The profile's beacon. Throws BEACON_WRONG_CHAIN for a chain whose key is not the public test key. */
  profileBeacon: BeaconChain
  /** Milliseconds since the epoch. */
  now?: () => number
  /** Monotonic, in milliseconds. */
  elapsed?: () => number
  /** A round that is known to be out: pulses go on after it, also where the clock is behind it. */
  known?: () => number
}

export async function startDevBeacon({
  host,
  port,
  profileBeacon,
  now = Date.now,
  elapsed = () => performance.now(),
  known = () => 0
}: DevBeaconOptions): Promise<BeaconServer> {
  return await serveBeacon(devSupply(profileBeacon, { now, elapsed, known }), { host, port })
}

function devSupply(
  chain: BeaconChain,
  time: Required<Pick<DevBeaconOptions, 'now' | 'elapsed' | 'known'>>
): PulseSupply {
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
    latestRound: newestRound(chain, time),
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

/** By the clock; while that is behind a round which is out, by the time that has passed since. */
function newestRound(
  chain: BeaconChain,
  { now, elapsed, known }: Required<Pick<DevBeaconOptions, 'now' | 'elapsed' | 'known'>>
): () => number {
  const periodMs = chain.period * 1000
  let newest = 0
  let outAtMs = elapsed()
  return () => {
    const passed = Math.floor((elapsed() - outAtMs) / periodMs)
    const round = Math.max(clockRound(now(), chain), known())
    if (round >= newest + passed) {
      if (round > newest) outAtMs = elapsed()
      newest = round
    } else {
      newest += passed
      outAtMs += passed * periodMs
    }
    return newest
  }
}

/** The dev beacon's signature on a round, 48 bytes. */
export function signDevPulse(round: number): Uint8Array {
  const { shortSignatures: bls } = bls12_381
  return bls.sign(bls.hash(pulseMessage(round), DST), Buffer.from(DEV_BEACON_SECRET_KEY, 'hex')).toBytes(true)
}
