/**
 * What the rules take of Node: hashes, signatures, text forms of bytes. browser.ts has the same functions for where
 * there is no Node; it takes this file's place there (package.json, `browser`).
 */
import type { KeyObject } from 'node:crypto'
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign as cryptoSign,
  timingSafeEqual,
  verify as cryptoVerify
} from 'node:crypto'

export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return new Uint8Array(hash.digest())
}

/** In constant time, for equal lengths. */
export function equalOfLength(left: Uint8Array, right: Uint8Array): boolean {
  return timingSafeEqual(left, right)
}

/** Lexicographic order of bytes: negative, zero or positive. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  return Buffer.compare(left, right)
}

export function toHex(bytes: Uint8Array): string {
  return view(bytes).toString('hex')
}

/** An even number of hexadecimal digits, which the caller checks. */
export function hexToBytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'hex'))
}

/** Standard alphabet, padded (RFC 4648 section 4). */
export function toBase64(bytes: Uint8Array): string {
  return view(bytes).toString('base64')
}

/** Digits of the standard alphabet without padding, which the caller checks; unused bits are dropped. */
export function base64ToBytes(digits: string): Uint8Array {
  return new Uint8Array(Buffer.from(digits, 'base64'))
}

/** DER before a raw key: PKCS #8 and SubjectPublicKeyInfo of RFC 8410. */
const PKCS8_PREFIX = hexToBytes('302e020100300506032b657004220420')
const SPKI_PREFIX = hexToBytes('302a300506032b6570032100')

const privateKeys = new WeakMap<Uint8Array, KeyObject>()

/** OpenSSL overwrites its copies of a key when V8 collects the KeyObject; tweetnacl would leave parts of some. */
export function keyPairFromSeed(seed: Uint8Array): { publicKey: Uint8Array; secretKey: Uint8Array } {
  const key = privateKeyOf(seed)
  const publicKey = new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' })).slice(
    SPKI_PREFIX.length
  )
  const secretKey = new Uint8Array(64)
  secretKey.set(seed)
  secretKey.set(publicKey, 32)
  privateKeys.set(secretKey, key)
  return { publicKey, secretKey }
}

/** Signs by the 32-byte seed of RFC 8032 that `secretKey` begins with. */
export function sign(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  let key = privateKeys.get(secretKey)
  if (key === undefined) {
    key = privateKeyOf(secretKey.subarray(0, 32))
    privateKeys.set(secretKey, key)
  }
  return new Uint8Array(cryptoSign(null, message, key))
}

function privateKeyOf(seed: Uint8Array): KeyObject {
  const der = Buffer.concat([PKCS8_PREFIX, seed])
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  } finally {
    der.fill(0)
  }
}

/**
 * Whether SB = R + kA, without a cofactor, for encodings whose form the caller has checked. OpenSSL computes SB - kA and
 * compares its encoding with R, so an R off the curve never matches. It refuses an A off the curve.
 */
export function equationHolds(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' })
  return cryptoVerify(null, message, key, signature)
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
