import { EncodingError } from '../errors.ts'
import { base64ToBytes, equalOfLength, hexToBytes, toBase64 } from '../platform/node.ts'

export { compareBytes, sha256, toBase64, toHex } from '../platform/node.ts'

const UTF8 = new TextEncoder()

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

/** The UTF-8 bytes of a text. Throws EncodingError for lone surrogates, which would silently become U+FFFD. */
export function utf8(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new EncodingError('a text holds a lone surrogate')
  return UTF8.encode(text)
}

/** u32 big-endian length, then the bytes; a text counts as its UTF-8 bytes. */
export function lp(value: Uint8Array | string): Uint8Array {
  const bytes = typeof value === 'string' ? utf8(value) : value
  const framed = new Uint8Array(4 + bytes.length)
  new DataView(framed.buffer).setUint32(0, bytes.length)
  framed.set(bytes, 4)
  return framed
}

/** Eight bytes, big-endian. Throws RangeError outside 0..2^53-1. */
export function u64be(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not an integer from 0 to 2^53-1`)
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

/** In constant time for equal lengths. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && equalOfLength(left, right)
}

/** Reads hex of either case. Throws EncodingError for anything else. */
export function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) throw new EncodingError('not hexadecimal')
  return hexToBytes(text)
}

/**
 * Reads base64 in the standard or the URL-safe alphabet, padding optional.
 *
 * Throws EncodingError for mixed alphabets, white space, wrong padding and unused bits that are not zero: one text, one
 * value.
 */
export function fromBase64(text: string): Uint8Array {
  const standard = /^[A-Za-z0-9+/]*={0,2}$/.test(text)
  const urlSafe = /^[A-Za-z0-9_-]*={0,2}$/.test(text)
  if (!standard && !urlSafe) throw new EncodingError('not base64')
  const digits = text.replace(/={1,2}$/, '')
  if (digits.length !== text.length && text.length % 4 !== 0) throw new EncodingError('wrong base64 padding')
  const inStandard = digits.replaceAll('-', '+').replaceAll('_', '/')
  const bytes = base64ToBytes(inStandard)
  if (toBase64(bytes).replace(/={1,2}$/, '') !== inStandard)
    throw new EncodingError('not base64: length or unused bits are wrong')
  return bytes
}
