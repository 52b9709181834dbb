/** A zone as the command line accepts it: JSON, or lines of the form `LABEL [TTL] TYPE VALUE`. */
import type { Readable } from 'node:stream'
import * as v from 'valibot'
import { faultOf } from '../../protocol/encoding/issue.ts'
import { inputFailure, usageFailure } from '../failures/failure.ts'
import { type JsonError, parseStrictJson } from '../../util/strict-json.ts'
import { nameOfInput, readText } from '../input/files.ts'

export interface ZoneRecordInput {
  type: string
  value: string
  ttl?: number | undefined
}

export interface ZoneInput {
  serial?: number | undefined
  records: Record<string, ZoneRecordInput[]>
}

const RECORD_LINE = /^(?<label>\S+)\s+(?:(?<ttl>\d[\dsmhdw]*)\s+)?(?:IN\s+)?(?<type>[A-Za-z]+)\s+(?<value>\S.*)$/u

/** `www A 192.0.2.1`, `www 600 A 192.0.2.1`, `@ TXT hello world`. Undefined for any other text. */
export function parseRecordLine(line: string): { label: string; record: ZoneRecordInput } | undefined {
  const groups = RECORD_LINE.exec(line.trim())?.groups
  if (groups === undefined) return undefined
  const { label, ttl, type, value } = groups as { label: string; ttl?: string; type: string; value: string }
  const seconds = ttl === undefined ? undefined : parseTtl(ttl)
  if (ttl !== undefined && seconds === undefined) return undefined
  return {
    label,
    record: { type: type.toUpperCase(), value: value.trim(), ...(seconds === undefined ? {} : { ttl: seconds }) }
  }
}

const LINE_CURE = "Write LABEL [TTL] TYPE VALUE, such as 'www A 192.0.2.1'."

/** A zone of record lines. `where` names a line that is none: CLI-INP-001 in a file, else CLI-USE-001. */
export function zoneOfLines(lines: readonly string[], where: (index: number) => string, isFile = false): ZoneInput {
  // No prototype: a label may be called "constructor" or "__proto__".
  const records = Object.create(null) as Record<string, ZoneRecordInput[]>
  for (const [index, line] of lines.entries()) {
    const parsed = parseRecordLine(line)
    if (parsed === undefined) {
      const detail = `${where(index)}: "${line.trim()}" is not a record`
      throw isFile ? inputFailure(`${detail}; nothing was saved`, LINE_CURE) : usageFailure(detail, LINE_CURE)
    }
    ;(records[parsed.label] ??= []).push(parsed.record)
  }
  return { records }
}

/** Only the outer shape; which records are allowed is the daemon's to say. */
const RecordJson = v.looseObject({ type: v.string(), value: v.string(), ttl: v.exactOptional(v.number()) })
const ZoneJson = v.looseObject({
  serial: v.exactOptional(v.number()),
  records: v.pipe(
    v.unknown(),
    v.check((records) => !Array.isArray(records), 'an object of labels is expected'),
    v.record(v.string(), v.array(RecordJson))
  )
})

/** The zone of a file, or of `stdin` for `-`. */
export async function readZone(file: string, stdin: Readable): Promise<ZoneInput> {
  return parseZoneText(await readText(file, stdin), nameOfInput(file))
}

/**
 * Reads the text of a zone file: JSON when it begins with a brace, record lines otherwise (`#` and `;` begin a comment
 * line).
 */
export function parseZoneText(text: string, file: string): ZoneInput {
  if (!text.trimStart().startsWith('{')) {
    // More often a pipe that failed than a zone that is meant to be empty.
    if (text.trim() === '')
      throw inputFailure(
        `${file} is empty; nothing was saved`,
        'A zone without records is a file with a comment alone, or {"records": {}}.'
      )
    const lines = text
      .split('\n')
      .map((line, index) => ({ line, number: index + 1 }))
      .filter(({ line }) => !/^\s*(?:[#;]|$)/u.test(line))
    return zoneOfLines(
      lines.map(({ line }) => line),
      (index) => `${file} line ${lines[index]?.number ?? index + 1}`,
      true
    )
  }
  let json: unknown
  try {
    json = parseStrictJson(text, file)
  } catch (error) {
    const { cause, message } = error as JsonError
    throw inputFailure(
      `${message}${cause instanceof Error ? `: ${cause.message}` : ''}; nothing was saved`,
      'A file that begins with { must be valid JSON. Correct it, or write record lines.',
      error
    )
  }
  const { issues } = v.safeParse(ZoneJson, json)
  if (issues !== undefined)
    throw inputFailure(
      `${file} is not a zone (${faultOf(issues)}); nothing was saved`,
      'Write {"records": {LABEL: [{"type", "value"}]}}.'
    )
  return json as ZoneInput
}

/** Seconds of a unit, as BIND and RFC 2308 files write them. */
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** Longest TTL (RFC 2181, section 8). */
const MAX_SECONDS = 2 ** 31 - 1

/** Seconds of `300`, `1h` or `1h30m`; undefined for any other text. Throws Error above 2^31-1. */
export function parseTtl(text: string): number | undefined {
  if (!/^(?:\d+|(?:\d+[smhdw])+)$/iu.test(text)) return undefined
  const seconds = /^\d+$/u.test(text)
    ? Number(text)
    : [...text.matchAll(/(?<!\d)(\d+)([a-z])/giu)].reduce(
        (sum, [, count, unit]) => sum + Number(count) * UNITS[unit!.toLowerCase()]!,
        0
      )
  if (!(seconds <= MAX_SECONDS)) throw new Error(`the TTL ${text} is longer than ${MAX_SECONDS} seconds`)
  return seconds
}
