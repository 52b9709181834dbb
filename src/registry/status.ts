import { roundTimeMs } from '../protocol/beacon-time.ts'
import type { RegistryContext } from './context.ts'
import type { NetworkStatusView, OwnedName } from './types.ts'
import { leaseOf, roundTime } from './lease-times.ts'

/** What the network and the beacon are doing. */
export function networkStatus({ network, profile, beacon, clock }: RegistryContext): NetworkStatusView {
  const { status, peers, mode, peer_id, records } = network.status()
  const round = beacon.latest()?.round ?? null
  const ageMs = round === null ? null : Math.max(0, clock.now() - roundTimeMs(round, profile.beacon))
  return { status, peers, mode, peer_id, network: profile.id, beacon: { round, age_seconds: ageMs === null ? null : Math.round(ageMs / 1000) }, records }
}

/** The names of this daemon with the end of their leases, and their state: of the lease, unless the network names another owner. */
export function ownedNames(context: RegistryContext): OwnedName[] {
  return context.owned.list().map(({ name, reveal, serial, publishedSerial, standing }) => {
    const { state, endRound } = leaseOf(context, reveal.drand_pulse)
    return {
      name,
      state: state === 'dead' ? 'lapsed' : standing === 'held' ? state : standing,
      lease_end: roundTime(context, endRound),
      serial: Math.max(serial, context.zones.get(name)?.serial ?? 0),
      published_serial: publishedSerial
    }
  })
}
