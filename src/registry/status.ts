import { roundTimeMs } from '../protocol/time/beacon-time.ts'
import type { AutomaticRenewal } from './upkeep/automatic-renewal.ts'
import type { RegistryContext } from './context.ts'
import { checkCodeOf, formatCodedName, SHORT_CODE } from '../protocol/claim/check-code.ts'
import { leaseOf, roundTime } from './lease-times.ts'
import type { NetworkStatusView, PeerView } from '../views/network.ts'
import type { KnownPeer, Network } from '../network/types.ts'
import type { OwnedNameView } from '../views/own.ts'

export function networkStatus(
  { network, profile, beacon, clock }: RegistryContext,
  { diversity, isAlone }: { readonly diversity: NetworkStatusView['diversity']; readonly isAlone: boolean }
): NetworkStatusView {
  const { status, peers, mode, peer_id, connecting, records } = network.status()
  const round = beacon.latest()?.round ?? null
  const ageMs = round === null ? null : Math.max(0, clock.now() - roundTimeMs(round, profile.beacon))
  return {
    status,
    connecting,
    peers,
    mode,
    peer_id,
    network: profile.id,
    size: network.size() ?? null,
    beacon: { round, age_seconds: ageMs === null ? null : Math.round(ageMs / 1000) },
    addresses: network
      .addresses()
      .map(({ confirmedBy, ...address }) => ({ ...address, confirmed_by: [...confirmedBy] })),
    records,
    alone: isAlone || !network.canAsk(),
    diversity
  }
}

/**
 * The names of this daemon with their leases: the state is that of the lease, unless the network names another owner.
 */
export function ownedNames(context: RegistryContext, renewal: AutomaticRenewal): OwnedNameView[] {
  const records = context.owned.list()
  const outlooks = renewal.outlooks(records)
  return records.map(({ name, reveal, serial, publishedSerial, standing }, index) => {
    const { state, endRound } = leaseOf(context, reveal.drand_pulse)
    const { renewal, warnings } = outlooks[index]!
    const code = checkCodeOf(reveal, context.profile)
    return {
      name,
      check_code: code,
      coded_name: formatCodedName(name, code.slice(0, SHORT_CODE)) ?? null,
      state: state === 'dead' ? 'lapsed' : standing === 'held' ? state : standing,
      lease_end: roundTime(context, endRound),
      serial: Math.max(serial, context.zones.get(name)?.serial ?? 0),
      published_serial: publishedSerial,
      renewal,
      warnings: [...warnings]
    }
  })
}

export function peerViews(network: Pick<Network, 'peers'>): PeerView[] {
  return network.peers().map(peerView)
}

export function peerView({ peer, prefix, distance, isInTable, connection }: KnownPeer): PeerView {
  return {
    peer,
    prefix,
    distance,
    in_table: isInTable,
    connection:
      connection === null
        ? null
        : { direction: connection.direction, since: new Date(connection.sinceMs).toISOString() }
  }
}
