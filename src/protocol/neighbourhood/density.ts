/** The network's size and a record's reach, estimated from the peers nearest to an id. */

/** 2^53: distances use their first 53 bits, exact in a double. */
const SCALE = 2 ** 53

/** XOR distance of two 32-byte keys as a share of the key space, 0 <= d < 1. */
export function distance(left: Uint8Array, right: Uint8Array): number {
  let value = 0
  for (let index = 0; index < 6; index++) value = value * 256 + (left[index]! ^ right[index]!)
  return (value * 32 + ((left[6]! ^ right[6]!) >> 3)) / SCALE
}

/**
 * Peers in the network with this one: m - 1 peers within the distance of the m-th nearest (unbiased for uniform ids),
 * and at least those seen.
 *
 * @param nearest positions of the peers nearest to `own`, in any order; fewer than 2 count
 * as the whole network
 */
export function networkSize(own: Uint8Array, nearest: readonly Uint8Array[]): number {
  const seen = nearest.length + 1
  if (nearest.length < 2) return seen
  const farthest = Math.max(...nearest.map((id) => distance(own, id)))
  return farthest === 0 ? seen : Math.max(seen, Math.round((nearest.length - 1) / farthest) + 1)
}

/** The distance within which k of `size` peers are expected; 1 (all) in networks of up to k. */
export function radius(k: number, size: number): number {
  return Math.min(1, k / Math.max(1, size))
}

export function isWithin(key: Uint8Array, peer: Uint8Array, reach: number): boolean {
  return reach >= 1 || distance(key, peer) < reach
}
