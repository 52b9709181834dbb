/** The few pieces of RFC 1035 wire format that records need. */
import { concatBytes, utf8 } from '../protocol/encoding/bytes.ts'

export function u16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 0xff)
}

export function u32(value: number): Uint8Array {
  return concatBytes(u16(value >>> 16), u16(value & 0xffff))
}

/** A name without its closing dot, uncompressed; the empty text is the root. Labels have 1 to 63 octets of ASCII. */
export function wireName(name: string): Uint8Array {
  const labels = name === '' ? [] : name.split('.')
  return concatBytes(...labels.map(characterString), Uint8Array.of(0))
}

/** A length octet and at most 255 octets. */
export function characterString(text: string | Uint8Array): Uint8Array {
  const bytes = typeof text === 'string' ? utf8(text) : text
  return concatBytes(Uint8Array.of(bytes.length), bytes)
}
