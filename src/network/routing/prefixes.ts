/**
 * The /24 or /48 under which peers were connected. Ended connections count: most voters are chosen while they are not
 * connected.
 */
import type { Connection, PeerId } from '@libp2p/interface'
import { prefixOf } from '../transport/addresses.ts'
import { isIPv6Prefix, UNDIALLED, type DiversityLimits } from '../../protocol/neighbourhood/diversity.ts'
import type { Node } from '../libp2p.ts'
import { positionOf, type Contact } from '../table.ts'
import { confirmWhereabouts } from './whereabouts.ts'

/**
 * Peers whose prefix is remembered, 300 bytes each. Peers outside the routing table go first, those connected longest
 * ago first.
 */
const MAX_REMEMBERED = 8_192

interface Place {
  readonly prefix: string
  /** This node reached the peer there. */
  readonly isReached: boolean
}

export interface Prefixes {
  /** Where the peer counts: as `known` where this node reached it there, else `UNDIALLED`; its id if never connected. */
  of(peer: PeerId): string
  /**
   * The prefix of a connection to where the peer says it listens, else of one in whose prefix this node reached it, by
   * IPv4 before IPv6; else of any, else of the last one; undefined if never connected.
   */
  known(peer: PeerId): string | undefined
}

export interface SettledPrefixes extends Prefixes {
  /** Resolves once a connected peer's location is checked, two seconds later at most. */
  settled(peer: PeerId): Promise<void>
}

function isIPv6At({ remoteAddr }: Connection): boolean {
  return isIPv6Prefix(prefixOf(remoteAddr))
}

/** A peer with its prefix, read when needed. */
export function contactOf(id: PeerId, prefixes: Prefixes): Contact {
  return {
    id,
    peer: id.toString(),
    position: positionOf(id),
    get prefix() {
      return prefixes.of(id)
    }
  }
}

export function createPrefixes(
  node: Node,
  { answers_per_prefix }: Pick<DiversityLimits, 'answers_per_prefix'>,
  now: () => number = () => performance.now()
): SettledPrefixes {
  const last = new Map<string, Place & { readonly peer: PeerId }>()
  const put = (peer: PeerId, { prefix, isReached }: Place): void => {
    last.delete(peer.toString())
    last.set(peer.toString(), { peer, prefix, isReached })
  }
  const placeOf = (connection: Connection): Place => ({
    prefix: prefixOf(connection.remoteAddr),
    // Pointless where prefixes are not limited.
    isReached: whereabouts?.isReached(connection) ?? true
  })
  const remember = (connection: Connection): void => {
    put(connection.remotePeer, placeOf(connection))
    for (const [id, { peer, ...place }] of last) {
      if (last.size <= MAX_REMEMBERED) break
      // The table fills at most a quarter. A forgotten prefix of the table would count as one of its own [ids whose
      // address is forgotten].
      if (node.services.table.has(peer)) put(peer, place)
      else {
        last.delete(id)
        break
      }
    }
  }
  node.addEventListener('connection:open', ({ detail }) => remember(detail))
  const whereabouts = answers_per_prefix > 0 ? confirmWhereabouts(node, remember, now) : undefined
  const place = (peer: PeerId): Place | undefined => {
    const connections = node.getConnections(peer)
    const byIPv4 = connections.toSorted((left, right) => Number(isIPv6At(left)) - Number(isIPv6At(right)))
    const connection =
      byIPv4.find((each) => whereabouts?.isConfirmed(each)) ??
      byIPv4.find((each) => whereabouts?.isReached(each)) ??
      connections[0]
    return connection === undefined ? last.get(peer.toString()) : placeOf(connection)
  }
  return {
    known: (peer) => place(peer)?.prefix,
    of(peer) {
      const { prefix, isReached } = place(peer) ?? { prefix: peer.toString(), isReached: true }
      return isReached ? prefix : UNDIALLED
    },
    settled: async (peer) => whereabouts?.settled(peer)
  }
}
