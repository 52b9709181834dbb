/** The functions of node.ts without Node: by the noble libraries, in plain JavaScript. */
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 as nobleSha256, sha512 } from '@noble/hashes/sha2.js'

export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = nobleSha256.create()
  for (const part of parts) hash.update(part)
  return hash.digest()
}

export function equalOfLength(left: Uint8Array, right: Uint8Array): boolean {
  let difference = 0
  for (let index = 0; index < left.length; index++) difference |= left[index]! ^ right[index]!
  return difference === 0
}

export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const shorter = Math.min(left.length, right.length)
  for (let index = 0; index < shorter; index++) if (left[index] !== right[index]) return left[index]! - right[index]!
  return left.length - right.length
}

export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0')
  return text
}

export function hexToBytes(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, index) => parseInt(text.slice(2 * index, 2 * index + 2), 16))
}

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

export function base64ToBytes(digits: string): Uint8Array {
  // one digit of the last four holds less than a byte: atob refuses it, Node drops it
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits
  return Uint8Array.from(atob(whole), (letter) => letter.charCodeAt(0))
}

export function keyPairFromSeed(seed: Uint8Array): { publicKey: Uint8Array; secretKey: Uint8Array } {
  const publicKey = ed25519.getPublicKey(seed)
  const secretKey = new Uint8Array(64)
  secretKey.set(seed)
  secretKey.set(publicKey, 32)
  return { publicKey, secretKey }
}

export function sign(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  return ed25519.sign(message, secretKey.subarray(0, 32))
}

/** noble's own `verify` multiplies by the cofactor; this compares encodings, as node.ts does. */
export function equationHolds(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  const { Point } = ed25519
  const r = signature.subarray(0, 32)
  const s = littleEndian(signature.subarray(32))
  let key: InstanceType<typeof Point>
  try {
    key = Point.fromBytes(publicKey)
  } catch {
    // no point of the curve: not a key that signed anything
    return false
  }
  const hash = sha512.create().update(r).update(publicKey).update(message).digest()
  const k = littleEndian(hash) % Point.Fn.ORDER
  const point = Point.BASE.multiplyUnsafe(s).subtract(key.multiplyUnsafe(k))
  return equalOfLength(point.toBytes(), r)
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(Uint8Array.from(bytes).reverse())}`)
}
