/** Records and selectors as they are given on the command line. */
import { canonicalName } from '../../protocol/name/names.ts'
import { RECORD_TYPES } from '../../protocol/zone/record-data.ts'
import { usageFailure } from '../failures/failure.ts'
import { MAX_STRING } from '../../util/record-text.ts'
import { parseRecordLine, zoneOfLines, type ZoneInput, type ZoneRecordInput } from '../zone-file/zone-input.ts'

interface Selector {
  readonly label: string
  readonly type?: string
  readonly value?: string
}

/**
 * Records of the words that the shell hands over. A first word without white space is a label, and the other words are
 * the rest of its record: `zone add NAME spf TXT "v=spf1 -all"`. Else each word is a whole record.
 */
export function recordsOfArguments(name: string, words: readonly string[]): ZoneInput {
  const isOne = !hasSpace(words[0]!)
  const found = isOne ? recordOfWords(words) : undefined
  const zone =
    found === undefined
      ? zoneOfLines(isOne ? [words.join(' ')] : words, (index) => `record ${index + 1}`)
      : { records: { [found.label]: [found.record] } }
  for (const [label, list] of Object.entries(zone.records)) {
    requireLabel(name, label)
    zone.records[label] = list.map((record) => ({ ...record, value: withoutLongQuotes(record) }))
  }
  return zone
}

/** LABEL [TTL] [IN] TYPE VALUE..., a word each; undefined where TTL, class and type are not words of their own. */
function recordOfWords([label, ...words]: readonly string[]): { label: string; record: ZoneRecordInput } | undefined {
  const at = words.findIndex((word) => !isTtl(word) && word.toUpperCase() !== 'IN')
  const type = words[at]?.toUpperCase()
  const values = words.slice(at + 1)
  if (label === undefined || type === undefined || values.length === 0 || !isType(type)) return undefined
  const before = words.slice(0, at).map((word) => (isTtl(word) ? word.toLowerCase() : 'IN'))
  const parsed = parseRecordLine([label, ...before, type, '-'].join(' '))
  return parsed && { label, record: { ...parsed.record, value: valueOfWords(type, values) } }
}

function isTtl(word: string): boolean {
  return /^\d[\dsmhdw]*$/iu.test(word)
}

/** The shell has taken the quotes off: where a value needs them, they are put back. */
function valueOfWords(type: string, words: readonly string[]): string {
  // Words of a text are one text with spaces. As the strings of a master file they would be joined without.
  if (type === 'TXT') return words.join(' ') || '""'
  if (words.length === 1) return words[0]!
  return words
    .map((word, index) => {
      const needsQuotes = hasSpace(word) || word === '' || (type === 'URI' && index === 2)
      return needsQuotes && !word.includes('"') ? `"${word}"` : word
    })
    .join(' ')
}

/** One quoted text longer than a character-string, as the plain text that the daemon cuts into several. */
function withoutLongQuotes({ type, value }: ZoneRecordInput): string {
  const text = type === 'TXT' ? /^"(?<text>[^"\\]+)"$/u.exec(value)?.groups?.['text'] : undefined
  return text !== undefined && Buffer.byteLength(text) > MAX_STRING ? text : value
}

/** `LABEL [TYPE [VALUE]]` each; a label, a type and the words of a value are one selector. */
export function selectorsOfArguments(name: string, words: readonly string[]): Selector[] {
  const isOne = !hasSpace(words[0]!) && isType(words[1] ?? '')
  return (isOne ? [words.join(' ')] : words).map((text) => {
    const { label, type, value } =
      /^(?<label>\S+)(?:\s+(?<type>\S+)(?:\s+(?<value>\S.*))?)?$/u.exec(text.trim())?.groups ?? {}
    if (label === undefined)
      throw usageFailure(`"${text}" selects nothing`, "Write LABEL [TYPE [VALUE]], such as 'www A'.")
    requireLabel(name, label)
    if (type !== undefined && !isType(type))
      throw usageFailure(
        `"${text}": ${type} is not a record type`,
        `Write LABEL [TYPE [VALUE]]; types are ${RECORD_TYPES.join(', ')}.`
      )
    return {
      label,
      ...(type === undefined ? {} : { type: type.toUpperCase() }),
      ...(value === undefined ? {} : { value: selectedValue(type!.toUpperCase(), isOne ? words.slice(2) : [value]) })
    }
  })
}

function selectedValue(type: string, words: readonly string[]): string {
  return withoutLongQuotes({ type, value: valueOfWords(type, words) })
}

function hasSpace(word: string): boolean {
  return /\s/u.test(word.trim())
}

function isType(word: string): boolean {
  return (RECORD_TYPES as readonly string[]).includes(word.toUpperCase())
}

/** `www.alice.chronym` would be below the apex once more. */
export function requireLabel(name: string, label: string): void {
  const apex = canonicalName(name)
  const full = canonicalName(label)
  if (full !== apex && !full.endsWith(`.${apex}`)) return
  const meant = full === apex ? '@' : full.slice(0, -apex.length - 1)
  throw usageFailure(
    `${label} is a whole name; records are given with their label below ${apex}`,
    `Write "${meant}" in its place.`
  )
}
