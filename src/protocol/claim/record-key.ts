/** Where records belong: K, and the key that finds its neighbourhood without revealing it. */
import { concatBytes, lp, sha256 } from '../encoding/bytes.ts'
import type { DomainWord } from '../crypto/domain.ts'
import { domain } from '../crypto/domain.ts'

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
