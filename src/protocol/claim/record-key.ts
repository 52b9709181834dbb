/** Where records belong: K, and the key that finds its neighbourhood without showing it. */
import { concatBytes, lp, sha256 } from '../encoding/bytes.ts'
import type { DomainWord } from '../crypto/domain.ts'
import { domain } from '../crypto/domain.ts'

export type RecordKind = 'reveal' | 'kid' | 'manifest'

const KEY_DOMAIN = { reveal: 'key', kid: 'kid-key', manifest: 'manifest-key' } as const satisfies Record<
  RecordKind,
  DomainWord
>

/**
 * Bits that the blinded prefix is shorter than log2 of the network: about 32 peers share it (docs/protocol/rules.md, 6).
 */
const BLINDED_SLACK_BITS = 5

/** In a network of two million peers: whatever size is believed, so much of a name stays hidden. */
const MAX_BLINDED_BITS = 16

/** What is hashed to K: `domain(key) ‖ lp(id)`. kad-dht hashes its keys with SHA-256, so this is the key to give it. */
export function recordKeyPreimage(kind: RecordKind, id: string, profileHash: Uint8Array): Uint8Array {
  return concatBytes(domain(KEY_DOMAIN[kind], profileHash), lp(id))
}

/** K, 32 bytes: where the record of that kind with that id (a name or a DID) is stored. */
export function recordKey(kind: RecordKind, id: string, profileHash: Uint8Array): Uint8Array {
  return sha256(recordKeyPreimage(kind, id, profileHash))
}

/** How many leading bits of K may be shown before the reveal: max(0, floor(log2(network size)) - 5), 16 at most. */
export function blindedPrefixBits(networkSize: number): number {
  const size = Math.max(1, Math.floor(networkSize))
  return Math.min(MAX_BLINDED_BITS, Math.max(0, BigInt(size).toString(2).length - 1 - BLINDED_SLACK_BITS))
}

/** Whether two keys begin with the same bits. */
export function sharesPrefix(left: Uint8Array, right: Uint8Array, bits: number): boolean {
  const whole = Math.floor(bits / 8)
  for (let index = 0; index < whole; index++) {
    if (left[index] !== right[index]) return false
  }
  const rest = bits % 8
  return rest === 0 || (left[whole]! ^ right[whole]!) >> (8 - rest) === 0
}

/**
 * A key that shares the first `bits` bits with K, its others those of `random` (32 bytes, fresh for each look-up): a
 * neighbourhood is learned from it, not a name.
 */
export function blindedKey(key: Uint8Array, bits: number, random: Uint8Array): Uint8Array {
  return random.map((byte, index) => {
    const mask = 0xff >> Math.min(8, Math.max(0, bits - 8 * index))
    return (key[index]! & ~mask) | (byte & mask)
  })
}
