/**
 * DNS presentation format (RFC 1035, section 5.1), as far as record values use it. Every function throws Error with a
 * message for users.
 */
import { concatBytes, fromHex, utf8 } from '../../encoding/bytes.ts'

/** A word of a value: bare, or a quoted character-string. */
export interface Word {
  readonly bytes: Uint8Array
  readonly quoted: boolean
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
    const quoted = value[position] === '"'
    const pieces: Uint8Array[] = []
    while (position < value.length && !isSpace(value[position])) {
      position = value[position] === '"' ? readQuoted(value, position, pieces) : readCharacter(value, position, pieces)
    }
    words.push({ bytes: concatBytes(...pieces), quoted })
  }
}

/** Reads up to the closing quote, which must end a word. Returns the position behind it. */
function readQuoted(value: string, open: number, pieces: Uint8Array[]): number {
  let position = open + 1
  while (position < value.length && value[position] !== '"') position = readCharacter(value, position, pieces)
  if (position >= value.length) throw new Error('a quote is not closed')
  if (position + 1 < value.length && !isSpace(value[position + 1]))
    throw new Error('a space must follow a closing quote')
  return position + 1
}

/** One character or escape. Returns the position after it. */
function readCharacter(value: string, position: number, pieces: Uint8Array[]): number {
  const codePoint = value.codePointAt(position)!
  const character = String.fromCodePoint(codePoint)
  if (codePoint < 0x20 || codePoint === 0x7f) throw new Error('control characters must be escaped as \\DDD')
  if (character !== '\\') {
    pieces.push(utf8(character))
    return position + character.length
  }
  const digits = /^[0-9]{3}/.exec(value.slice(position + 1, position + 4))
  if (digits !== null) {
    const octet = Number(digits[0])
    if (octet > 255) throw new Error(`\\${digits[0]} is no octet`)
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
  return new TextDecoder().decode(word.bytes)
}

export function bareWords(value: string, names: readonly string[]): string[] {
  const words = wordsOf(value)
  if (words.length !== names.length) throw new Error(`expected: ${names.join(' ')}`)
  return words.map(textOf)
}

/** A decimal integer of at most `bits` bits. */
export function decimal(text: string, name: string, bits: 8 | 16 | 32): number {
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
