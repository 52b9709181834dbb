/**
 * DNS presentation format (RFC 1035, section 5.1), as far as record values use it: words, domain names, IP addresses.
 * Every function throws Error with a message for users.
 */
import { concatBytes, fromHex, utf8 } from '../encoding/bytes.ts'

/** A word of a value: bare, or a quoted character-string. */
export interface Word {
  readonly bytes: Uint8Array
  readonly quoted: boolean
  /** As written, with quotes and escapes. */
  readonly text: string
}

/** Longest character-string (RFC 1035, section 3.3). */
export const MAX_CHARACTER_STRING = 255

/** Splits a value into words at white space; quotes group, also after a `key=`; `\DDD` and `\X` escape. */
export function wordsOf(value: string): Word[] {
  const words: Word[] = []
  let position = 0
  for (;;) {
    while (isSpace(value[position])) position++
    if (position >= value.length) return words
    const start = position
    const quoted = value[position] === '"'
    const pieces: Uint8Array[] = []
    while (position < value.length && !isSpace(value[position])) {
      position = value[position] === '"' ? readQuoted(value, position, pieces) : escapeAt(value, position, pieces)
    }
    words.push({ bytes: concatBytes(...pieces), quoted, text: value.slice(start, position) })
  }
}

/** Reads up to the closing quote, which must end a word. Returns the position behind it. */
function readQuoted(value: string, open: number, pieces: Uint8Array[]): number {
  let position = open + 1
  while (position < value.length && value[position] !== '"') position = escapeAt(value, position, pieces)
  if (position >= value.length) throw new Error('a quote is not closed')
  if (position + 1 < value.length && !isSpace(value[position + 1]))
    throw new Error('a space must follow a closing quote')
  return position + 1
}

/** Characters that mean themselves. A quote and a space do so only inside of quotes, or outside of a value. */
const PLAIN = /(?:[^\p{Cc}\\" ]|[\u0080-\u009f])+|[" ]/uy

/** Reads an escape, or characters up to the next one or a space, into `pieces`. Returns the position after them. */
export function escapeAt(value: string, position: number, pieces: Uint8Array[]): number {
  PLAIN.lastIndex = position
  const [plain] = PLAIN.exec(value) ?? []
  if (plain !== undefined) {
    pieces.push(utf8(plain))
    return position + plain.length
  }
  if (value[position] !== '\\') throw new Error('control characters must be escaped as \\DDD')
  const digits = /^[0-9]{3}/.exec(value.slice(position + 1, position + 4))
  if (digits !== null) {
    const octet = Number(digits[0])
    if (octet > 255) throw new Error(`\\${digits[0]} is not an octet`)
    pieces.push(Uint8Array.of(octet))
    return position + 4
  }
  const next = value.codePointAt(position + 1)
  if (next === undefined) throw new Error('a backslash ends the value')
  const escaped = String.fromCodePoint(next)
  pieces.push(utf8(escaped))
  return position + 1 + escaped.length
}

export function textOf(word: Word): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(word.bytes)
  } catch {
    throw new Error('octets that are not UTF-8 stand where text is expected')
  }
}

/** As many words as these names. Throws for more, and for fewer. */
export function namedWords(value: string, names: readonly string[]): Word[] {
  const words = wordsOf(value)
  if (words.length !== names.length) throw new Error(`expected: ${names.join(' ')}`)
  return words
}

/** A decimal integer of at most `bits` bits. */
export function decimal(word: Word | string, name: string, bits: 8 | 16 | 32): number {
  const text = typeof word === 'string' ? word : textOf(word)
  const max = 2 ** bits - 1
  if (!/^(?:0|[1-9][0-9]{0,9})$/.test(text) || Number(text) > max)
    throw new Error(`${name} is an integer from 0 to ${max}, not ${text}`)
  return Number(text)
}

/** Hex, which presentation format may break into several words. */
export function hexWords(words: readonly string[], name: string): Uint8Array {
  const digits = words.join('')
  if (digits === '' || digits.length % 2 !== 0 || !/^[0-9a-fA-F]+$/.test(digits))
    throw new Error(`${name} is hexadecimal`)
  return fromHex(digits)
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

const OCTET = /^(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])$/
const GROUP = /^[0-9a-fA-F]{1,4}$/

/** Four decimal octets without leading zeros. As Node's `isIPv4`, which a browser lacks. */
export function isIPv4(text: string): boolean {
  const octets = text.split('.')
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet))
}

/** RFC 4291 text without a zone index. Apart from those, as Node's `isIPv6`, which a browser lacks. */
export function isIPv6(text: string): boolean {
  const halves = text.split('::')
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')))
  const all = groups.flat()
  const last = all.at(-1)
  const isDotted = last !== undefined && groups.at(-1)!.length > 0 && isIPv4(last)
  const plain = isDotted ? all.slice(0, -1) : all
  if (!plain.every((group) => GROUP.test(group))) return false
  const count = plain.length + (isDotted ? 2 : 0)
  return halves.length === 1 ? count === 8 : halves.length === 2 && count <= 7
}

export function ipv4Octets(address: string): Uint8Array {
  if (!isIPv4(address)) throw new Error(`${JSON.stringify(address)} is not an IPv4 address`)
  return Uint8Array.from(address.split('.'), Number)
}

/** Sixteen octets of an RFC 4291 text without a zone index. */
export function ipv6Octets(address: string): Uint8Array {
  if (!isIPv6(address)) throw new Error(`${JSON.stringify(address)} is not an IPv6 address`)
  const [head = '', tail] = address.split('::')
  const before = groupsOf(head)
  if (tail === undefined) return before
  const after = groupsOf(tail)
  return concatBytes(before, new Uint8Array(16 - before.length - after.length), after)
}

/** Groups of four hex digits, the last of which may be a dotted IPv4 address. */
function groupsOf(text: string): Uint8Array {
  if (text === '') return new Uint8Array(0)
  return concatBytes(
    ...text.split(':').map((group) => (group.includes('.') ? ipv4Octets(group) : u16(parseInt(group, 16))))
  )
}

export function u16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 0xff)
}
