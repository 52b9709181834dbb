/** Zones as RFC 1035 master files, which {@link parseMasterFile} reads again. */
import { DEFAULT_TTL } from '../../protocol/zone/zone.ts'
import { formatTable } from '../terminal/format.ts'
import type { ZoneInput, ZoneRecordInput } from './zone-input.ts'
import { wordsForFile } from './names.ts'

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
