/** Zones as RFC 1035 master files, which {@link parseMasterFile} reads again. */
import { DEFAULT_TTL } from '../../protocol/zone/zone.ts'
import { formatTable } from '../terminal/format.ts'
import type { ZoneInput, ZoneRecordInput } from './zone-input.ts'

/** The value of a record in a master file whose $ORIGIN is the apex: two values that mean the same there are equal. */
export function valueForFile({ type, value }: Pick<ZoneRecordInput, 'type' | 'value'>): string {
  if (type === 'TXT' && !value.startsWith('"')) return textStrings(value)
  return wordsForFile(type, wordsOf(value)).join(' ')
}

/** The text of a zone: $ORIGIN, $TTL, then a record a line. */
export function formatMasterFile({ records }: ZoneInput, apex: string): string {
  const rows = Object.entries(records).flatMap(([label, list]) =>
    list.map((record) => [
      label,
      record.ttl === undefined ? '' : String(record.ttl),
      'IN',
      record.type,
      valueForFile(record)
    ])
  )
  return `$ORIGIN ${apex}.\n$TTL ${DEFAULT_TTL}\n${rows.length === 0 ? '' : `${formatTable(rows)}\n`}`
}

/**
 * Words as they are written, quotes and escapes kept; marks that a file reads otherwise are escaped outside of quotes.
 */
function wordsOf(value: string): string[] {
  const words: string[] = []
  let word = ''
  let isQuoted = false
  for (const [mark] of value.matchAll(/\\[0-9]{3}|\\.|./gsu)) {
    if (mark === '"') isQuoted = !isQuoted
    if (!isQuoted && (mark === ' ' || mark === '\t')) {
      if (word !== '') words.push(word)
      word = ''
    } else word += !isQuoted && ';()'.includes(mark) ? `\\${mark}` : mark
  }
  return word === '' ? words : [...words, word]
}

/** Longest character-string, in octets (RFC 1035, section 3.3). */
export const MAX_STRING = 255

/**
 * A plain text as quoted strings. Where it is cut, octets beyond ASCII are escaped: a cut may be inside of a character.
 */
function textStrings(text: string): string {
  const octets = Buffer.from(text)
  if (octets.length <= MAX_STRING)
    return `"${Array.from(text, (character) => escaped(character, character.codePointAt(0)!)).join('')}"`
  const strings: string[] = []
  for (let at = 0; at < octets.length; at += MAX_STRING) {
    const escapes = Array.from(octets.subarray(at, at + MAX_STRING), (octet) =>
      octet > 0x7e ? decimalEscape(octet) : escaped(String.fromCharCode(octet), octet)
    )
    strings.push(`"${escapes.join('')}"`)
  }
  return strings.join(' ')
}

function escaped(character: string, code: number): string {
  if (character === '"' || character === '\\') return `\\${character}`
  return code < 0x20 || code === 0x7f ? decimalEscape(code) : character
}

function decimalEscape(octet: number): string {
  return `\\${String(octet).padStart(3, '0')}`
}

/**
 * Names between the two spellings. In a master file a name without a closing dot is relative to $ORIGIN. In a zone's
 * value a name with a dot is absolute, a single label is relative to the apex, and `@` is the apex
 * (docs/protocol/wire.md, 14).
 */

/** Where the value of a type has names, by word from 0. */
const NAME_WORDS: Readonly<Record<string, readonly number[]>> = {
  CNAME: [0],
  NS: [0],
  PTR: [0],
  MX: [1],
  SRV: [3],
  SVCB: [1],
  HTTPS: [1]
}

/**
 * An absolute name in lower case, without the closing dot; the root is the empty text. `origin` is one. Throws Error
 * for text that is not a name.
 */
export function absoluteName(text: string, origin: string): string {
  if (text === '@') return origin
  if (text === '.') return ''
  if (/["\\]/.test(text)) throw new Error(`${text} is not a name: quotes and escapes are not allowed in names`)
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const name = lower.endsWith('.') ? lower.slice(0, -1) : origin === '' ? lower : `${lower}.${origin}`
  if (name.split('.').some((label) => label === '' || label.length > 63))
    throw new Error(`${text} is not a name: a label has 1 to 63 octets`)
  if (name.length > 253)
    throw new Error(`${text} is not a name: it has more than 253 characters with the origin ${origin}`)
  return name
}

/** The label of an owner below the apex, `@` for the apex itself. Throws Error for a name outside. */
export function labelBelow(name: string, apex: string): string {
  if (name === apex) return '@'
  if (name.endsWith(`.${apex}`)) return name.slice(0, -apex.length - 1)
  throw new Error(`${name}. is outside of the zone ${apex}.`)
}

/** The words of a value with names as a zone has them. */
export function wordsForZone(type: string, words: readonly string[], origin: string, apex: string): string[] {
  return words.map((word, index) => {
    if (NAME_WORDS[type]?.includes(index) !== true) return word
    const name = absoluteName(word, origin)
    if (name === apex) return '@'
    const label = name.endsWith(`.${apex}`) ? labelBelow(name, apex) : '.'
    return label.includes('.') ? `${name}.` : label
  })
}

/** The words of a zone's value with names as a master file has them, whose $ORIGIN is the apex. */
function wordsForFile(type: string, words: readonly string[]): string[] {
  return words.map((word, index) => {
    if (NAME_WORDS[type]?.includes(index) !== true) return word
    const lower = word.toLowerCase()
    return lower.includes('.') && !lower.endsWith('.') ? `${lower}.` : lower
  })
}
