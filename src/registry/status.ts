import { roundTimeMs, type Lease } from '../protocol/time.ts'
import { toHex } from '../protocol/encoding/bytes.ts'
import type { AutomaticRenewal } from './upkeep/automatic-renewal.ts'
import { type RegistryContext, leaseOf, roundTime } from './context.ts'
import { checkCodeOf, formatCodedName, SHORT_CODE } from '../protocol/claim/check-code.ts'
import type { NetworkStatusView, NetworkDiversityView, PeerView } from '../views/network.ts'
import type { KnownPeer, Network } from '../network/types.ts'
import type { OwnedNameView } from '../views/own.ts'
import type { Ownership } from './stored/owned-names.ts'
import {
  diversityOf,
  missingDiversity,
  neededDiversity,
  type Diversity,
  type Needed,
  type Origin
} from '../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import { parseZonePayload, ZoneError } from '../protocol/zone/zone.ts'
import type { Clock } from '../time/clock.ts'

export function networkStatus(
  { network, profile, beacon, clock }: RegistryContext,
  { isAlone, ...slow }: Pick<NetworkStatusView, 'addresses' | 'diversity'> & { readonly isAlone: boolean }
): NetworkStatusView {
  const { status, peers, mode, auto, peer_id, connecting, records } = network.status()
  const round = beacon.latest()?.round ?? null
  const ageMs = round === null ? null : Math.max(0, clock.now() - roundTimeMs(round, profile.beacon))
  return {
    status,
    connecting,
    peers,
    mode,
    auto,
    peer_id,
    network: profile.id,
    size: network.size() ?? null,
    beacon: { round, age_seconds: ageMs === null ? null : Math.round(ageMs / 1000), message: beacon.fault() ?? null },
    records,
    alone: isAlone || !network.canAsk(),
    ...slow
  }
}

export function addressViews(network: Pick<Network, 'addresses'>): NetworkStatusView['addresses'] {
  return network.addresses().map(({ confirmedBy, ...address }) => ({ ...address, confirmed_by: [...confirmedBy] }))
}

/**
 * The names of this daemon with their leases: the state is that of the lease, unless the network names another owner.
 */
export function ownedNames(context: RegistryContext, renewal: AutomaticRenewal): OwnedNameView[] {
  const records = context.owned.list()
  const outlooks = renewal.outlooks(records)
  return records.map(({ name, reveal, serial, publishedSerial, ownership, sold }, index) => {
    const { state, endRound } = leaseOf(context, reveal.drand_pulse)
    const { renewal, warnings } = outlooks[index]!
    const code = checkCodeOf(reveal, context.profile)
    return {
      name,
      check_code: code,
      coded_name: formatCodedName(name, code.slice(0, SHORT_CODE)) ?? null,
      state: stateOf(state, ownership),
      ...(sold && { sold: { to: toHex(sold.to), at: new Date(sold.atMs).toISOString() } }),
      lease_end: roundTime(context, endRound),
      serial: Math.max(serial, context.zones.get(name)?.serial ?? 0),
      published_serial: publishedSerial,
      records: recordsIn(reveal.payload, context.profile),
      renewal,
      warnings: [...warnings]
    }
  })
}

/** A sold name is its new owner's, who renews it: the end of the lease known here says nothing. */
function stateOf(lease: Lease['state'], ownership: Ownership): OwnedNameView['state'] {
  if (ownership === 'sold') return 'sold'
  return lease === 'dead' ? 'lapsed' : ownership === 'held' ? lease : ownership
}

function recordsIn(payload: Uint8Array, profile: NetworkProfile): number | null {
  try {
    return Object.values(parseZonePayload(payload, profile).records).reduce((count, list) => count + list.length, 0)
  } catch (error) {
    if (error instanceof ZoneError) return null
    throw error
  }
}

export function peerViews(network: Pick<Network, 'peers'>): PeerView[] {
  return network.peers().map(peerView)
}

export function peerView({ peer, prefix, distance, isInTable, agent, connection }: KnownPeer): PeerView {
  return {
    peer,
    prefix,
    distance,
    in_table: isInTable,
    agent,
    connection:
      connection === null
        ? null
        : { direction: connection.direction, since: new Date(connection.sinceMs).toISOString() }
  }
}

/** For what takes a while to tell, while anybody may ask for the status at any rate. */
const KEPT_MS = 1000

/** What `compute` returns, one second old at most. */
export function kept<T>(clock: Pick<Clock, 'now'>, compute: () => T): () => T {
  let last: { readonly atMs: number; readonly value: T } | undefined
  return () => {
    const nowMs = clock.now()
    if (last === undefined || Math.abs(nowMs - last.atMs) >= KEPT_MS) last = { atMs: nowMs, value: compute() }
    return last.value
  }
}

/** Null where the profile limits no prefixes. */
export function networkDiversity(peers: readonly Origin[], profile: NetworkProfile): NetworkDiversityView | null {
  const needed = neededDiversity(profile)
  if (needed === null) return null
  const known = diversityOf(peers, profile)
  const missing = missingDiversity(Math.max(needed.answer, needed.settle, needed.adopt), peers, profile)
  const enough = missing.peers === 0
  return {
    ...bodyOf(known),
    needed,
    missing: bodyOf(missing),
    enough,
    message: enough ? null : messageOf(known, needed, missing)
  }
}

function bodyOf({ peers, prefixes, widePrefixes }: Diversity): NetworkDiversityView['missing'] {
  return { peers, prefixes, wide_prefixes: widePrefixes }
}

/** Two sentences, without the cure: the peers known and needed, with the effect; then what is missing. */
function messageOf(
  { peers, prefixes, widePrefixes }: Diversity,
  { answer, settle, adopt }: Needed,
  missing: Diversity
): string {
  const most = Math.max(answer, settle, adopt)
  const use = most === answer ? 'an answer' : most === settle ? 'settling' : 'adoption'
  // With one fewer than an answer needs, our own store makes up for it, except about our own names.
  const effects = [
    ...(peers < answer ? [`${peers === answer - 1 ? 'may ' : ''}resolve as thin`] : []),
    ...(peers < settle ? ['do not settle'] : []),
    ...(peers < adopt ? ['are not adopted by newcomers'] : [])
  ]
  const more = [
    ...(missing.prefixes > 0 ? [`${missing.prefixes} more /24 (IPv6: /32)`] : []),
    ...(missing.widePrefixes > 0 ? [`${missing.widePrefixes} more /16 (IPv6: /24)`] : [])
  ]
  return (
    `${peers} of the ${most} diverse peers that ${use} needs, in ${prefixes} /24 (IPv6: /32) ` +
    `and ${widePrefixes} /16 (IPv6: /24): for now names ${listed(effects)}. ` +
    `Missing: ${missing.peers} ` +
    `${missing.peers === 1 ? 'peer' : 'peers'}${more.length === 0 ? '' : `, in at least ${more.join(' and ')}`}.`
  )
}

function listed(parts: readonly string[]): string {
  return [...(parts.length > 1 ? [parts.slice(0, -1).join(', ')] : []), parts.at(-1)!].join(' and ')
}
