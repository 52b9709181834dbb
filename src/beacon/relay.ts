/**
 * A relay of recorded pulses: another network's chain where that network is unreachable. It has no key and cannot make
 * pulses.
 */
import { serveBeacon, type BeaconServer } from './server.ts'
import type { BeaconChain, Pulse } from './types.ts'

export interface RelayOptions {
  host: string
  port: number
  chain: BeaconChain
  pulses: readonly Pulse[]
  /** Shown by `/info` only. */
  groupHash?: string
  beaconId?: string
}

export async function startRelay({
  host,
  port,
  chain,
  pulses,
  groupHash = '',
  beaconId = 'relay'
}: RelayOptions): Promise<BeaconServer> {
  const signatures = new Map(pulses.map(({ round, signature }) => [round, signature]))
  const newest = Math.max(0, ...signatures.keys())
  return await serveBeacon(
    { chain, groupHash, beaconId, latestRound: () => newest, signature: (round) => signatures.get(round) },
    { host, port }
  )
}
