/** Who may connect to this node, and where it dials. */
import type { ConnectionGater, PeerId } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { DiversityLimits } from '../../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { hostOf, ipOf, isLoopback, prefixOf } from './addresses.ts'
import { specialRange, type AddressRange } from './address-ranges.ts'
import { limitHalfOpen } from './half-open.ts'

export interface GaterOptions {
  readonly profile: Pick<NetworkProfile, 'scope'> & DiversityLimits
  /** Addresses that this node was told by its owner: to listen on, and of bootstrap peers. */
  readonly listen: readonly Multiaddr[]
  readonly bootstrap: readonly Multiaddr[]
  /** Peers that may not connect for now. */
  readonly isBanned: (peer: PeerId) => boolean
  /** Whether somebody may connect from there now; see addresses.ts for prefixes. */
  readonly mayConnect: (prefix: string) => boolean
}

export function gater({ profile, listen, bootstrap, isBanned, mayConnect }: GaterOptions): ConnectionGater {
  const mayDial =
    profile.scope === 'loopback'
      ? isLoopback
      : profile.scope === 'public'
        ? publicOrConfigured(listen, bootstrap)
        : () => true
  const halfOpen = limitHalfOpen(profile)
  return {
    denyDialPeer: isBanned,
    denyInboundEncryptedConnection: isBanned,
    // Addresses are dialled without saying whose they are (finder.ts).
    denyOutboundEncryptedConnection: isBanned,
    denyDialMultiaddr: (address) => !mayDial(address),
    denyInboundConnection: (connection) =>
      (profile.scope === 'loopback' && !isLoopback(connection.remoteAddr)) ||
      !mayConnect(prefixOf(connection.remoteAddr)) ||
      !halfOpen.begin(connection),
    denyInboundUpgradedConnection(_peer, connection) {
      halfOpen.end(connection)
      return false
    }
  }
}

/**
 * Peers tell each other addresses, and nobody checks them before they are dialled. So on a public network a private,
 * loopback or link-local one is dialled only where a bootstrap peer is in that range or this node listens there by name
 * (0.0.0.0 names nothing), and a host name, which may resolve to anything, only where it is a bootstrap peer's [private
 * addresses that a peer tells].
 */
function publicOrConfigured(
  listen: readonly Multiaddr[],
  bootstrap: readonly Multiaddr[]
): (address: Multiaddr) => boolean {
  const own = new Set<AddressRange | undefined>(
    [...listen, ...bootstrap].map(ipOf).map((ip) => (ip === undefined ? undefined : specialRange(ip)))
  )
  const hosts = new Set(bootstrap.map(hostOf))
  return (address) => {
    const ip = ipOf(address)
    if (ip === undefined) return hosts.has(hostOf(address))
    const range = specialRange(ip)
    return range === undefined || (range !== 'nowhere' && own.has(range))
  }
}
