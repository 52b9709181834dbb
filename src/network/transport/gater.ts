import type { ConnectionGater, PeerId } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { DiversityLimits } from '../../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { WAITING_BYTES } from './guard/limits.ts'
import { hostOf, ipOf, isLoopback, specialRange, type AddressRange } from './addresses.ts'
import { limitHalfOpen } from './half-open.ts'

interface GaterOptions {
  readonly profile: Pick<NetworkProfile, 'scope'> & DiversityLimits
  /** Configured addresses to listen on. */
  readonly listen: readonly Multiaddr[]
  /** Of bootstrap peers that the user names; they may change. */
  readonly bootstrap: () => readonly Multiaddr[]
  readonly isBanned: (peer: PeerId) => boolean
  /** Whether a prefix (addresses.ts) may open one more connection now. */
  readonly mayConnect: (prefix: string) => boolean
}

export function gater({ profile, listen, bootstrap, isBanned, mayConnect }: GaterOptions): ConnectionGater {
  const mayDial = dialable({ profile, listen, bootstrap })
  const halfOpen = limitHalfOpen(profile, mayConnect)
  return {
    denyDialPeer: isBanned,
    denyInboundEncryptedConnection: isBanned,
    // finder.ts dials addresses without a peer id.
    denyOutboundEncryptedConnection: isBanned,
    denyDialMultiaddr: (address) => !mayDial(address),
    async denyInboundConnection(connection) {
      // Nothing reads until it has its turn.
      connection.maxReadBufferLength = WAITING_BYTES
      return (profile.scope === 'loopback' && !isLoopback(connection.remoteAddr)) || !(await halfOpen.begin(connection))
    },
    denyInboundUpgradedConnection(_peer, connection) {
      halfOpen.end(connection)
      return false
    }
  }
}

/** Whether a node with this configuration dials an address; the same holds for what it announces of its own. */
export function dialable({
  profile,
  listen,
  bootstrap
}: Pick<GaterOptions, 'profile' | 'listen' | 'bootstrap'>): (address: Multiaddr) => boolean {
  if (profile.scope === 'loopback') return isLoopback
  return profile.scope === 'public' ? publicOrConfigured(listen, bootstrap) : () => true
}

/**
 * Peers name addresses that no one checks before dialling. On a public network, a private, loopback or link-local
 * address needs a bootstrap peer in that range, or an explicit listen address there (0.0.0.0 names nothing). A host
 * name may resolve to anything, so only bootstrap peers may have one [private addresses that a peer tells].
 */
function publicOrConfigured(
  listen: readonly Multiaddr[],
  bootstrap: () => readonly Multiaddr[]
): (address: Multiaddr) => boolean {
  const rangeOf = (address: Multiaddr): AddressRange | undefined => {
    const ip = ipOf(address)
    return ip === undefined ? undefined : specialRange(ip)
  }
  return (address) => {
    if (ipOf(address) === undefined) return bootstrap().map(hostOf).includes(hostOf(address))
    const range = rangeOf(address)
    return range === undefined || (range !== 'nowhere' && [...listen, ...bootstrap()].map(rangeOf).includes(range))
  }
}
