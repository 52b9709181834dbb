/**
 * The /24 or /48 under which peers were connected. Ended connections count: most voters are chosen while they are not
 * connected.
 */
import type { Connection, PeerId } from '@libp2p/interface'
import { prefixOf } from '../transport/addresses.ts'
import type { DiversityLimits, Origin } from '../../protocol/neighbourhood/diversity.ts'
import type { Node } from '../libp2p.ts'
import { isKnown } from './routing.ts'
import { confirmWhereabouts } from './whereabouts.ts'

/**
 * Peers whose prefix is remembered, 300 bytes each. Peers outside the routing table go first, those connected longest
 * ago first.
 */
const MAX_REMEMBERED = 8_192

export interface Prefixes {
  /**
   * The prefix of a connection to where the peer says it listens, else of any, else of the last one. Without any, the
   * peer's id.
   */
  of(peer: PeerId): string
  /** The same; undefined if never connected. */
  known(peer: PeerId): string | undefined
}

export interface SettledPrefixes extends Prefixes {
  /** Resolves once a connected peer's location is checked, two seconds later at most. */
  settled(peer: PeerId): Promise<void>
}

/** A peer with its prefix, read when needed. */
export function originOf(id: PeerId, prefixes: Prefixes): Origin & { readonly id: PeerId } {
  return {
    id,
    peer: id.toString(),
    get prefix() {
      return prefixes.of(id)
    }
  }
}

export function* originsOf(ids: Iterable<PeerId>, prefixes: Prefixes): Generator<Origin> {
  for (const id of ids) yield originOf(id, prefixes)
}

export function createPrefixes(
  node: Node,
  { answers_per_prefix }: Pick<DiversityLimits, 'answers_per_prefix'>
): SettledPrefixes {
  const last = new Map<string, { readonly peer: PeerId; readonly prefix: string }>()
  const put = (peer: PeerId, prefix: string): void => {
    last.delete(peer.toString())
    last.set(peer.toString(), { peer, prefix })
  }
  const remember = ({ remotePeer, remoteAddr }: Connection): void => {
    put(remotePeer, prefixOf(remoteAddr))
    for (const [id, { peer, prefix }] of last) {
      if (last.size <= MAX_REMEMBERED) break
      // The table fills at most a quarter. A forgotten prefix of the table would count as one of its own [ids whose
      // address is forgotten].
      if (isKnown(node, peer)) put(peer, prefix)
      else {
        last.delete(id)
        break
      }
    }
  }
  node.addEventListener('connection:open', ({ detail }) => remember(detail))
  // Pointless where prefixes are not limited.
  const whereabouts = answers_per_prefix > 0 ? confirmWhereabouts(node, remember) : undefined
  const known = (peer: PeerId): string | undefined => {
    const connections = node.getConnections(peer)
    const connection = connections.find((each) => whereabouts?.isConfirmed(each)) ?? connections[0]
    return connection === undefined ? last.get(peer.toString())?.prefix : prefixOf(connection.remoteAddr)
  }
  return { known, of: (peer) => known(peer) ?? peer.toString(), settled: async (peer) => whereabouts?.settled(peer) }
}
