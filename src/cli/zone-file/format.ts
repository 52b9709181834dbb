/** Zones as RFC 1035 master files, which {@link parseMasterFile} reads again. */
import { DEFAULT_TTL } from '../../protocol/zone/zone.ts'
import { domainName, labelsBelow, labelsOf } from '../../protocol/zone/domain-name.ts'
import { type Word, wordsOf } from '../../protocol/zone/presentation.ts'
import { FIRST_LATER_KEY, parseParameter, type ServiceParameter } from '../../protocol/zone/svcb.ts'
import { bareText, quotedText, quotedTexts, recordText } from '../../util/record-text.ts'
import { formatTable } from '../terminal/format.ts'
import type { ZoneInput, ZoneRecordInput } from './zone-input.ts'

/** The value of a record in a master file whose $ORIGIN is the apex: two values that mean the same there are equal. */
export function valueForFile({ type, value }: Pick<ZoneRecordInput, 'type' | 'value'>): string {
  if (type === 'TXT' && !value.startsWith('"')) return quotedTexts(Buffer.from(value))
  let words: Word[]
  try {
    words = wordsOf(value)
  } catch {
    // No zone has such a value; differences show it all the same.
    return recordText(type, value)
  }
  return words.map((word, index) => wordForFile(type, word, index)).join(' ')
}

/** Words that servers read as one string of octets: always in quotes, so that each has one spelling. */
const QUOTED_WORDS: Readonly<Record<string, number>> = { CAA: 2, URI: 2 }

function wordForFile(type: string, word: Word, index: number): string {
  if (isNameWord(type, index)) return nameForFile(word)
  if (type === 'TXT' || QUOTED_WORDS[type] === index) return quotedText(word.bytes)
  return SERVICE_TYPES.has(type) && index > 1 ? parameterForFile(word) : bareText(word.bytes)
}

const SERVICE_TYPES: ReadonlySet<string> = new Set(['SVCB', 'HTTPS'])
const EQUALS = 0x3d

/** `key=value`; a key that name servers of today do not know by its name is `keyNNN`, with the value in wire form. */
function parameterForFile(word: Word): string {
  const { key, value } = parameterOf(word) ?? { key: 0, value: new Uint8Array() }
  if (key >= FIRST_LATER_KEY) return value.length === 0 ? `key${key}` : `key${key}=${valueText(value)}`
  const equals = word.bytes.indexOf(EQUALS)
  if (equals === -1) return bareText(word.bytes)
  return `${bareText(word.bytes.subarray(0, equals))}=${valueText(word.bytes.subarray(equals + 1))}`
}

/** Undefined for what no zone may have. */
function parameterOf(word: Word): ServiceParameter | undefined {
  try {
    return parseParameter(word)
  } catch {
    return undefined
  }
}

function valueText(octets: Uint8Array): string {
  const isBare = octets.every((octet) => octet > 0x20 && octet < 0x7f && !'"\\;()'.includes(String.fromCharCode(octet)))
  return isBare && octets.length > 0 ? bareText(octets) : quotedText(octets)
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

/** The targets of a value, as written. */
export function targetsOf({ type, value }: Pick<ZoneRecordInput, 'type' | 'value'>): string[] {
  return value.split(/\s+/u).filter((_word, index) => isNameWord(type, index))
}

export function isNameWord(type: string, index: number): boolean {
  return NAME_WORDS[type]?.includes(index) === true
}

/**
 * An absolute name in lower case, without the closing dot; the root is the empty text. `origin` is one. Throws Error
 * for text that is not a name.
 */
export function absoluteName(text: string, origin: string): string {
  if (text === '@') return origin
  if (text === '.') return ''
  if (/["\\]/.test(text)) throw new Error(`${text} is not a name: quotes and escapes are not allowed in names`)
  const lower = lowerCase(text)
  const name = lower.endsWith('.') ? lower.slice(0, -1) : origin === '' ? lower : `${lower}.${origin}`
  if (name.split('.').some((label) => label === '' || label.length > 63))
    throw new Error(`${text} is not a name: a label has 1 to 63 octets`)
  if (name.length > 253)
    throw new Error(`${text} is not a name: it has more than 253 characters with the origin ${origin}`)
  return name
}

/** The label of an owner below the apex, `@` for the apex itself. Throws Error for a name outside. */
export function labelBelow(name: string, apex: string): string {
  const labels = labelsBelow(name, apex)
  if (labels === undefined) throw new Error(`${name}. is outside of the zone ${apex}.`)
  return labels.length === 0 ? '@' : labels.join('.')
}

/** The words of a value with names as a zone has them. */
export function wordsForZone(type: string, words: readonly string[], origin: string, apex: string): string[] {
  return words.map((word, index) => {
    if (!isNameWord(type, index)) return word
    const name = targetName(word, origin)
    const labels = labelsBelow(name, apex)
    if (labels?.length === 0) return '@'
    return labels?.length === 1 ? labels[0]! : `${name}.`
  })
}

/** As {@link absoluteName}; labels of a target may have escaped octets, as DNS-SD has them. */
function targetName(word: string, origin: string): string {
  if (!word.includes('\\') || word.replaceAll(/\\[^]/g, '').includes('"')) return absoluteName(word, origin)
  const name = lowerCase(domainName(wordsOf(word)[0]!, true))
  if (name === '@' || name === '.') return absoluteName(name, origin)
  return name.endsWith('.') && labelsOf(name).at(-1) === ''
    ? name.slice(0, -1)
    : origin === ''
      ? name
      : `${name}.${origin}`
}

/** A target as a master file has it, whose $ORIGIN is the apex. */
function nameForFile(word: Word): string {
  let name: string
  try {
    name = lowerCase(domainName(word, true))
  } catch {
    return word.text
  }
  const labels = labelsOf(name)
  return labels.length === 1 || labels.at(-1) === '' ? name : `${name}.`
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
