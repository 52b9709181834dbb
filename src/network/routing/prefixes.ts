/**
 * Under which /24 or /48 peers were connected: who may answer is chosen while there is no connection to most of them,
 * and one that ends says as much as an open one.
 */
import type { Connection, PeerId } from '@libp2p/interface'
import { prefixOf } from '../transport/addresses.ts'
import type { DiversityLimits, Origin } from '../../protocol/neighbourhood/diversity.ts'
import type { Node } from '../libp2p.ts'
import { isKnown } from './routing.ts'
import { confirmWhereabouts } from './whereabouts.ts'

/**
 * Peers whose prefix is remembered, 300 bytes each; the one connected longest ago is forgotten first, of those that are
 * not in the routing table.
 */
const MAX_REMEMBERED = 8_192

export interface Prefixes {
  /**
   * That of a connection to where the peer says it listens, else of any, else of the newest that there was; the peer's
   * id where there has never been any.
   */
  of(peer: PeerId): string
  /** The same; undefined where there has never been any. */
  known(peer: PeerId): string | undefined
}

export interface SettledPrefixes extends Prefixes {
  /** Resolves once it is clear whether a peer that is connected is where it says, two seconds later at most. */
  settled(peer: PeerId): Promise<void>
}

/** A peer with its prefix, which is looked at when it is needed. */
export function originOf(id: PeerId, prefixes: Prefixes): Origin & { readonly id: PeerId } {
  return {
    id,
    peer: id.toString(),
    get prefix() {
      return prefixes.of(id)
    }
  }
}

/** The same of each, one after the other. */
export function* originsOf(ids: Iterable<PeerId>, prefixes: Prefixes): Generator<Origin> {
  for (const id of ids) yield originOf(id, prefixes)
}

/** Remembers until the node stops. */
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
      // The table holds a quarter of these at most. One of it whose prefix is forgotten would count for itself [ids
      // whose address is forgotten].
      if (isKnown(node, peer)) put(peer, prefix)
      else {
        last.delete(id)
        break
      }
    }
  }
  node.addEventListener('connection:open', ({ detail }) => remember(detail))
  // Where prefixes are not limited it is all the same.
  const whereabouts = answers_per_prefix > 0 ? confirmWhereabouts(node, remember) : undefined
  const known = (peer: PeerId): string | undefined => {
    const connections = node.getConnections(peer)
    const connection = connections.find((each) => whereabouts?.isConfirmed(each)) ?? connections[0]
    return connection === undefined ? last.get(peer.toString())?.prefix : prefixOf(connection.remoteAddr)
  }
  return { known, of: (peer) => known(peer) ?? peer.toString(), settled: async (peer) => whereabouts?.settled(peer) }
}
