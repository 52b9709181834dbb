/**
 * Who enters the routing table, and who leaves it. A peer enters once it is connected and says by identify that it
 * answers requests, or when it has answered a look-up. Light peers say that they answer none. A peer that cannot be
 * reached leaves, and returns when it is met again.
 */
import type { IdentifyResult, PeerId } from '@libp2p/interface'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Node } from '../libp2p.ts'
import { registryProtocol } from '../wire/messages.ts'
import { contactOf, type Prefixes } from './prefixes.ts'

/** Time to reach a peer that was not heard of for long, before a newcomer takes its place. */
const DIAL_MS = 5_000

/**
 * Call before the node starts. Returns what offers the table a peer that has just answered. `now` is monotonic, in
 * milliseconds.
 */
export function keepTable(
  node: Node,
  profile: NetworkProfile,
  prefixes: Prefixes,
  now: () => number = () => performance.now()
): (peer: PeerId) => Promise<void> {
  const { table } = node.services
  const protocol = registryProtocol(profile)

  const offer = async (peer: PeerId): Promise<void> => {
    const newcomer = contactOf(peer, prefixes)
    for (;;) {
      const doubtful = table.offer(newcomer, now())
      const areThere = await Promise.all(doubtful.map(({ id }) => isThere(node, id)))
      const gone = doubtful.filter((_, index) => !areThere[index])
      if (gone.length === 0) return
      for (const { id } of gone) dropUnreachable(node, id)
    }
  }
  node.addEventListener('peer:identify', ({ detail: { peerId, protocols } }: CustomEvent<IdentifyResult>) => {
    if (protocols.includes(protocol)) void offer(peerId)
    else table.remove(peerId)
  })
  // Libp2p keeps every peer ever connected.
  node.addEventListener('peer:disconnect', ({ detail: peer }) => {
    if (!table.has(peer)) void node.peerStore.delete(peer)
  })
  return offer
}

export function dropUnreachable(node: Node, peer: PeerId): void {
  if (node.getConnections(peer).length === 0) node.services.table.remove(peer)
}

/** Libp2p ends connections that answer no ping. */
async function isThere(node: Node, peer: PeerId): Promise<boolean> {
  if (node.getConnections(peer).length > 0) return true
  try {
    await node.dial(peer, { signal: AbortSignal.timeout(DIAL_MS) })
    return true
  } catch {
    return false
  }
}
