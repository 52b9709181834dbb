/**
 * Deepens the routing table near this node. Kad-dht's table is a trie whose leaves hold k peers and split only above a
 * depth of six bits. So 64 leaves hold 1,280 peers of any network, and one leaf holds all known neighbours. Kad-dht
 * accepts a prepared trie, so this one starts with the branches around our own position. Kad-dht still pings peers
 * before they enter a leaf, and decides which leave.
 */
import type { PeerId } from '@libp2p/interface'
import type { KadDHT } from '@libp2p/kad-dht'
import { positionOf } from '../position.ts'

/**
 * Leading bits of our position that the trie follows: in a network of half a million, eight peers share them. The last
 * leaf holds at most k ids, even ids made to match.
 */
export const OWN_BITS = 16

/**
 * Bits that split a branch off our path into four leaves. The farthest of the k nearest lie in a branch with k peers on
 * average, seldom 2k. One leaf would keep only the first k of them; four have room for all.
 */
const BITS_BESIDE = 2

/**
 * As in kad-dht's routing-table/k-bucket.js; the bits that lead to a bucket are its prefix, and the next one is 0 in
 * `left`.
 */
export type Bucket = Leaf | Branch

export interface Leaf {
  readonly prefix: string
  readonly depth: number
  readonly peers: unknown[]
}

export interface Branch {
  readonly prefix: string
  readonly depth: number
  readonly left: Bucket
  readonly right: Bucket
}

/** An empty trie around a position of 32 bytes: 60 leaves, 104 after kad-dht's own splits; so at most 104 k peers. */
export function trieAround(own: Uint8Array): Bucket {
  const ownBits = Array.from(own, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const grow = (prefix: string, sharedBits: number): Bucket => {
    const depth = prefix.length
    if (depth === Math.min(OWN_BITS, sharedBits + 1 + BITS_BESIDE)) return { prefix, depth, peers: [] }
    const child = (bit: string): Bucket =>
      grow(prefix + bit, sharedBits === depth && ownBits[depth] === bit ? sharedBits + 1 : sharedBits)
    return { prefix, depth, left: child('0'), right: child('1') }
  }
  return grow('', 0)
}

/** Call before the node starts, while its table is empty. */
export function deepenNearOurselves({
  peerId,
  services
}: {
  readonly peerId: PeerId
  readonly services: { readonly dht: KadDHT }
}): void {
  const { kb } = (services.dht as KadDHT & { routingTable: { kb: { root: Bucket } } }).routingTable
  kb.root = trieAround(positionOf(peerId))
}
