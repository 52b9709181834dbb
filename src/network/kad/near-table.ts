/**
 * The routing table, made deep near ourselves. Kad-dht's is a trie whose leaves hold k peers each. It splits a full
 * leaf as long as that is less than six bits deep: then 64 leaves hold 1,280 peers of a network of any size, and one
 * leaf all that are known of our neighbours. But it takes the trie as it finds it, and so begins with one that has the
 * branches around our own position already. Kad-dht still decides which peers a leaf takes in, after a ping, and
 * which leave it.
 */
import type { PeerId } from '@libp2p/interface'
import type { KadDHT } from '@libp2p/kad-dht'
import { positionOf } from '../position.ts'

/**
 * First bits of our position that the trie follows: in a network of half a million eight peers share as many. Of ids
 * that were made to, the last leaf holds no more than k.
 */
export const OWN_BITS = 16

/**
 * Bits by which the peers are told apart where a branch turns off our way: four leaves. The farthest of the
 * k nearest stand in a part of which not all are wanted, k on average and seldom 2k. In one leaf the first k of them
 * would keep the others out; four have room for all.
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

/**
 * An empty trie around a position of 32 bytes: 60 leaves, 104 once kad-dht has split those that are less than six bits
 * deep; so at most 104 k peers.
 */
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

/** To be called before the node starts, while nobody is in its table. */
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
