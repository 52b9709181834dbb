/**
 * Where records belong: K, and the key that finds its neighbourhood without revealing it. The network's size and a
 * record's reach, estimated from the peers nearest to an id.
 */
import { concatBytes, lp, sha256 } from '../encoding/bytes.ts'
import { type DomainWord, domain } from '../crypto/domain.ts'

/** `coded`: a Reveal too, at the place of its check code. */
export type RecordKind = 'reveal' | 'coded' | 'kid' | 'manifest'

const KEY_DOMAIN = {
  reveal: 'key',
  coded: 'coded',
  kid: 'kid-key',
  manifest: 'manifest-key'
} as const satisfies Record<RecordKind, DomainWord>

/**
 * The blinded prefix is this many bits shorter than log2 of the network: about 32 peers share it
 * (docs/protocol/rules.md, 6).
 */
const BLINDED_SLACK_BITS = 5

/** Reached at two million peers. Bounds what a wrong size estimate can reveal of a name. */
const MAX_BLINDED_BITS = 16

/** K's preimage: `domain(key) ‖ lp(id)`. Its SHA-256 is K. */
export function recordKeyPreimage(kind: RecordKind, id: string, profileHash: Uint8Array): Uint8Array {
  return concatBytes(domain(KEY_DOMAIN[kind], profileHash), lp(id))
}

/** K, 32 bytes: where the record of that kind and id (a name, a name and a code, or a DID) is stored. */
export function recordKey(kind: RecordKind, id: string, profileHash: Uint8Array): Uint8Array {
  return sha256(recordKeyPreimage(kind, id, profileHash))
}

/** Leading bits of K that may be shown before the reveal: max(0, floor(log2(network size)) - 5), 16 at most. */
export function blindedPrefixBits(networkSize: number): number {
  const size = Math.max(1, Math.floor(networkSize))
  return Math.min(MAX_BLINDED_BITS, Math.max(0, BigInt(size).toString(2).length - 1 - BLINDED_SLACK_BITS))
}

export function sharesPrefix(left: Uint8Array, right: Uint8Array, bits: number): boolean {
  const whole = Math.floor(bits / 8)
  for (let index = 0; index < whole; index++) {
    if (left[index] !== right[index]) return false
  }
  const rest = bits % 8
  return rest === 0 || (left[whole]! ^ right[whole]!) >> (8 - rest) === 0
}

/**
 * A key that shares only the first `bits` bits with K; the others come from `random` (32 bytes, fresh for each
 * look-up). It finds a neighbourhood without revealing a name.
 */
export function blindedKey(key: Uint8Array, bits: number, random: Uint8Array): Uint8Array {
  return random.map((byte, index) => {
    const mask = 0xff >> Math.min(8, Math.max(0, bits - 8 * index))
    return (key[index]! & ~mask) | (byte & mask)
  })
}

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
