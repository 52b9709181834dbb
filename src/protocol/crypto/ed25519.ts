/**
 * Ed25519 (RFC 8032), strict. node:crypto derives keys, signs and verifies; tests hold it to tweetnacl. Our own checks
 * precede it, since libraries disagree on them ("Taming the many EdDSAs").
 */
import { fromHex, toHex } from '../encoding/bytes.ts'
import { equationHolds } from '../platform/node.ts'

export { keyPairFromSeed, sign } from '../platform/node.ts'

export const PUBLIC_KEY_BYTES = 32
export const SIGNATURE_BYTES = 64

export interface KeyPair {
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** The 32-byte seed of RFC 8032, then the public key: 64 bytes, as in tweetnacl. */
  readonly secretKey: Uint8Array
}

/** The order L of the base point and the field prime p = 2^255 - 19, both little-endian (RFC 8032, section 5.1). */
const GROUP_ORDER = fromHex('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010')
const FIELD_PRIME = fromHex('edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f')

/** y of the eight points of order 1, 4, 2 and 8, little-endian, without the sign of x; recomputed in the tests. */
const SMALL_ORDER_Y = new Set([
  '0100000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'
])

/**
 * Verifies a signature, the same way everywhere. S < L; A and R are canonical encodings of points that are not of small
 * order; SB = R + kA holds without a cofactor. Mixed-order A or R pass only if that exact equation holds.
 */
export function verifyStrict(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || publicKey.length !== PUBLIC_KEY_BYTES) return false
  const r = signature.subarray(0, 32)
  const s = signature.subarray(32)
  if (!isBelow(s, GROUP_ORDER) || !isAcceptablePoint(r) || !isAcceptablePoint(publicKey)) return false
  return equationHolds(signature, message, publicKey)
}

/** Whether a public key may be used. A key off the curve is found only when it verifies something. */
export function isAcceptablePublicKey(publicKey: Uint8Array): boolean {
  return publicKey.length === PUBLIC_KEY_BYTES && isAcceptablePoint(publicKey)
}

/**
 * y < p and not one of the five y of small order. The encodings of x = 0 with a sign (y = 1, y = -1) are among those.
 */
function isAcceptablePoint(encoded: Uint8Array): boolean {
  const y = Uint8Array.from(encoded)
  y[31]! &= 0x7f
  return isBelow(y, FIELD_PRIME) && !SMALL_ORDER_Y.has(toHex(y))
}

/** Whether a < b, both 32 bytes little-endian. Not constant in time: all inputs are public. */
function isBelow(a: Uint8Array, b: Uint8Array): boolean {
  for (let index = 31; index >= 0; index--) {
    if (a[index] !== b[index]) return a[index]! < b[index]!
  }
  return false
}
