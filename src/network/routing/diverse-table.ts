/**
 * Lets full leaves of the routing table admit peers of other prefixes. Kad-dht keeps the first peers as long as they
 * answer. So k ids of one machine in a leaf would exclude all others, also from our answers to look-ups [ids of one
 * address around a key].
 */
import type { PeerId } from '@libp2p/interface'
import type { KadDHT } from '@libp2p/kad-dht'
import { diverse, type DiversityLimits } from '../../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Node } from '../libp2p.ts'
import { originOf, type Prefixes } from './prefixes.ts'

/** As in kad-dht's routing-table/k-bucket.js. */
interface Contact {
  readonly peerId: PeerId
  readonly kadId: Uint8Array
}

interface Leaf {
  readonly peers: readonly Contact[]
}

interface Buckets {
  readonly localPeer?: Contact
  _add(contact: Contact, options?: unknown): Promise<void>
  _determineBucket(kadId: Uint8Array): Leaf
  remove(kadId: Uint8Array): Promise<void>
}

/**
 * Call before the node starts. A connected peer of our protocol replaces the latest peer beyond the limits of a full
 * leaf, unless it exceeds them too. A peer that others merely name replaces none: it may be invented [peers that nobody
 * can reach].
 */
export function preferDiversePeers(
  node: Node,
  profile: DiversityLimits & Pick<NetworkProfile, 'k'>,
  prefixes: Prefixes
): void {
  if (profile.answers_per_prefix === 0) return
  const { kb } = (node.services.dht as KadDHT & { routingTable: { kb: Buckets } }).routingTable
  const add = kb._add.bind(kb)
  kb._add = async (newcomer, options) => {
    const { peers } = kb._determineBucket(newcomer.kadId)
    const isReal = prefixes.known(newcomer.peerId) !== undefined
    if (isReal && peers.length >= profile.k && !peers.some(({ peerId }) => peerId.equals(newcomer.peerId))) {
      const others = peers.filter(({ peerId }) => peerId !== kb.localPeer?.peerId)
      const surplus = surplusFor(
        others.map(({ peerId }) => peerId),
        newcomer.peerId,
        profile,
        prefixes
      )
      const leaving = others.find(({ peerId }) => peerId === surplus)
      if (leaving !== undefined) await kb.remove(leaving.kadId)
    }
    await add(newcomer, options)
  }
}

/**
 * The peer of a leaf (in order of arrival) that a newcomer replaces; undefined where none is beyond the limits, or the
 * newcomer would be.
 */
function surplusFor(
  peers: readonly PeerId[],
  newcomer: PeerId,
  limits: DiversityLimits,
  prefixes: Prefixes
): PeerId | undefined {
  const origins = peers.map((id) => originOf(id, prefixes))
  const arrived = originOf(newcomer, prefixes)
  // As many as the leaf holds: by IPv4 a newcomer is within the limits where one by IPv6 then is not.
  const counted = new Set(diverse([...origins, arrived], { ...limits, k: origins.length }))
  return counted.has(arrived) ? origins.findLast((origin) => !counted.has(origin))?.id : undefined
}
