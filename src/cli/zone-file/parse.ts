/** Zones from RFC 1035 master files. Strict: what it does not know it refuses, with the line. */
import { DEFAULT_TTL, MAX_TTL, MIN_TTL } from '../../protocol/zone/zone.ts'
import { RECORD_TYPES } from '../../protocol/zone/record-data.ts'
import { parseTtl, type ZoneInput, type ZoneRecordInput } from './zone-input.ts'
import { wordsOf } from '../../protocol/zone/presentation.ts'
import { quotedTexts } from '../../util/record-text.ts'
import { absoluteName, isNameWord, labelBelow, wordsForZone } from './format.ts'
import { entriesOf, type Entry, type FileProblem, type Token } from './tokens.ts'

export type { FileProblem } from './tokens.ts'

export interface ParsedFile {
  readonly zone: ZoneInput
  /** Problems by line; the zone has the rest. */
  readonly problems: readonly FileProblem[]
  /** Line of each record, at the same label and place. */
  readonly lines: Readonly<Record<string, readonly number[]>>
  /** Line of an SOA record, which was left out: a Chronym zone has none. */
  readonly soaLine: number | undefined
  /** What was read otherwise than it is written. */
  readonly remarks: readonly FileProblem[]
}

interface ParseOptions {
  /** Leaves out the NS of the apex: in the export of a provider they delegate the name to that provider. */
  readonly leavesOutApexNs?: boolean
}

/** State from one entry to the next. */
interface State {
  readonly apex: string
  origin: string
  owner: string | undefined
  defaultTtl: number | undefined
  /** RFC 1035: without $TTL a record has the TTL stated last. */
  lastTtl: number | undefined
  soaLine: number | undefined
  readonly remarks: FileProblem[]
}

/** Written octets of a value: those of the largest payload, 16 KiB, each as `\DDD`. */
const MAX_VALUE = 64 * 1024

/** A record of a file; undefined for a directive and what is left out. */
type FileRecord = { label: string; record: ZoneRecordInput } | undefined

/**
 * Reads a master file for the zone `apex` (a name without a closing dot), which is the first $ORIGIN. Throws nothing
 * for bad text.
 */
export function parseMasterFile(text: string, apex: string, options: ParseOptions = {}): ParsedFile {
  const { entries, problems } = entriesOf(text)
  const state: State = {
    apex,
    origin: apex,
    owner: undefined,
    defaultTtl: undefined,
    lastTtl: undefined,
    soaLine: undefined,
    remarks: []
  }
  // No prototype: a label may be called "constructor".
  const records = Object.create(null) as ZoneInput['records']
  const lines = Object.create(null) as Record<string, number[]>
  for (const entry of entries) {
    try {
      const read = readEntry(entry, state, options)
      if (read === undefined) continue
      const { label, record } = read
      const held = (records[label] ??= [])
      // A record twice is one record (RFC 2181, section 5).
      if (held.some(({ type, value, ttl }) => type === record.type && value === record.value && ttl === record.ttl))
        continue
      held.push(record)
      ;(lines[label] ??= []).push(entry.line)
    } catch (error) {
      problems.push({ line: entry.line, message: error instanceof Error ? error.message : String(error) })
    }
  }
  return {
    zone: { records },
    problems: problems.sort((left, right) => left.line - right.line),
    lines,
    soaLine: state.soaLine,
    remarks: state.remarks
  }
}

function readEntry({ isIndented, tokens, line }: Entry, state: State, options: ParseOptions): FileRecord {
  const [first] = tokens
  if (!isIndented && first!.text.startsWith('$')) {
    readDirective(tokens, state)
    return undefined
  }
  if (!isIndented) state.owner = absoluteName(withDot(first!.text, line, state), state.origin)
  if (state.owner === undefined) throw new Error('the first record has no owner: the line begins with a space')
  const { type, ttl, words } = readRecord(isIndented ? tokens : tokens.slice(1), state)
  const label = labelBelow(state.owner, state.apex)
  if (type === 'SOA') {
    state.soaLine = line
    return undefined
  }
  if (!(RECORD_TYPES as readonly string[]).includes(type))
    throw new Error(`${type} is not a type of a Chronym zone. Types are ${RECORD_TYPES.join(', ')}`)
  if (words.length === 0) throw new Error(`${type} has no value`)
  if (words.reduce((length, word) => length + word.length, 0) > MAX_VALUE)
    throw new Error('the value is longer than a zone can be')
  if (words[0] === '\\#') throw new Error(`write the value of ${type} in its own form: \\# (RFC 3597) is not read`)
  if (ttl !== undefined && ttl > MAX_TTL) throw new Error(`a TTL is ${MIN_TTL} to ${MAX_TTL} seconds, not ${ttl}`)
  if (type === 'NS' && label === '@' && options.leavesOutApexNs === true) {
    state.remarks.push({ line, message: APEX_NS })
    return undefined
  }
  const isLow = ttl !== undefined && ttl < MIN_TTL
  if (isLow)
    state.remarks.push({ line, message: `a TTL of ${ttl} s is raised to ${MIN_TTL} s, the least that a zone has` })
  const value = (type === 'TXT' ? words.map(textStrings) : targetsForZone(type, words, line, state)).join(' ')
  return { label, record: { type, value, ...(ttl === undefined ? {} : { ttl: isLow ? MIN_TTL : ttl }) } }
}

const APEX_NS =
  'the NS of the name itself is left out: it would delegate the whole name, and hide its other records. --keep-ns keeps it'

/** The words of a value; a target that lacks its closing dot gets it, as an owner does. */
function targetsForZone(type: string, words: readonly string[], line: number, state: State): string[] {
  return wordsForZone(
    type,
    words.map((word, index) => (isNameWord(type, index) ? withDot(word, line, state) : word)),
    state.origin,
    state.apex
  )
}

/**
 * `alice.chronym` in the zone of that name, as `ssh-keygen -r` writes it: by the rules `alice.chronym.alice.chronym.`,
 * which nobody means.
 */
function withDot(text: string, line: number, { origin, apex, remarks }: State): string {
  const lower = text.toLowerCase()
  const isBelow = (name: string): boolean => name === apex || name.endsWith(`.${apex}`)
  if (!isBelow(lower) || !isBelow(origin)) return text
  remarks.push({ line, message: `${text} has no closing dot, and is taken for ${text}.` })
  return `${text}.`
}

/** [TTL] [class] type words, TTL and class in either order. */
function readRecord(
  tokens: readonly Token[],
  state: State
): { type: string; ttl: number | undefined; words: string[] } {
  let ttl: number | undefined
  let hasClass = false
  let index = 0
  for (; index < tokens.length; index++) {
    const { text } = tokens[index]!
    const seconds = ttl === undefined ? parseTtl(text) : undefined
    if (seconds !== undefined) ttl = seconds
    else if (!hasClass && /^in$/iu.test(text)) hasClass = true
    else if (/^(?:ch|cs|hs)$/iu.test(text))
      throw new Error(`the class ${text.toUpperCase()} is not known: a zone has IN`)
    else break
  }
  const type = tokens[index]?.text
  if (type === undefined) throw new Error('a record is [OWNER] [TTL] [IN] TYPE VALUE; the type is missing')
  if (!/^[a-z][a-z0-9]*$/iu.test(type)) throw new Error(`${type} is not a record type`)
  if (ttl !== undefined) state.lastTtl = ttl
  // The TTL that a zone has anyway is not written into it.
  const inherited = state.defaultTtl ?? state.lastTtl
  return {
    type: type.toUpperCase(),
    ttl: ttl ?? (inherited === DEFAULT_TTL ? undefined : inherited),
    words: tokens.slice(index + 1).map(({ text }) => text)
  }
}

/** The string of a word; one that is too long, as providers export keys, becomes several. */
function textStrings(word: string): string {
  if (!word.startsWith('"') && /(?<!\\)"/.test(word)) throw new Error(`${word}: put the whole string in quotes`)
  return quotedTexts(wordsOf(word)[0]!.bytes)
}

function readDirective([directive, argument, ...more]: readonly Token[], state: State): void {
  const name = directive!.text.toUpperCase()
  if (name === '$INCLUDE' || name === '$GENERATE') throw new Error(`${name} is not read: write the records themselves`)
  if (name !== '$ORIGIN' && name !== '$TTL')
    throw new Error(`${directive!.text} is not a directive; the directives are $ORIGIN and $TTL`)
  if (argument === undefined || more.length > 0) throw new Error(`${name} takes one value`)
  if (name === '$ORIGIN') {
    state.origin = absoluteName(argument.text, state.origin)
    return
  }
  const ttl = parseTtl(argument.text)
  if (ttl === undefined) throw new Error(`${argument.text} is not a TTL: write seconds, or 1h, 2d, 1h30m`)
  state.defaultTtl = ttl
}
