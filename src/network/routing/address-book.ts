/** The addresses of peers as answers to look-ups name them, until libp2p's store has others. */
import type { PeerId } from '@libp2p/interface'
import { CODE_P2P } from '@multiformats/multiaddr'
import { BoundedMap } from '../../util/bounded-map.ts'
import type { Node } from '../libp2p.ts'
import { knownAddresses } from '../transport/addresses.ts'
import { MAX_ADDRESSES } from '../wire/find.ts'

/** As many as a routing table has at most (docs/network.md). */
const MAX_PEERS = 2_080

/** An address that grew too old leaves libp2p's store without a word. */
const KEPT_MS = 10 * 60_000

export type AddressBook = (peer: PeerId) => Promise<readonly Uint8Array[]>

/** Reads them each time: at most MAX_ADDRESSES, the most useful first, without the peer's id. */
export function readAddresses(node: Node): AddressBook {
  return async (peer) => {
    const addresses = await knownAddresses(node, peer)
    return addresses.slice(0, MAX_ADDRESSES).map(({ multiaddr }) => multiaddr.decapsulateCode(CODE_P2P).bytes)
  }
}

/**
 * Keeps what it read: an answer names k peers, and libp2p's store takes 0.1 ms to lock, read and parse one. `now` is
 * monotonic, in milliseconds.
 */
export function keepAddresses(node: Node, now: () => number = () => performance.now()): AddressBook {
  const read = readAddresses(node)
  const book = new BoundedMap<string, { readonly addresses: ReturnType<AddressBook>; readonly untilMs: number }>(
    MAX_PEERS
  )
  node.addEventListener('peer:update', ({ detail }) => book.delete(detail.peer.id.toString()))
  return (peer) => {
    const id = peer.toString()
    const kept = book.get(id)
    if (kept !== undefined && now() < kept.untilMs) return kept.addresses
    const addresses = read(peer)
    book.set(id, { addresses, untilMs: now() + KEPT_MS })
    addresses.catch(() => book.delete(id))
    return addresses
  }
}
