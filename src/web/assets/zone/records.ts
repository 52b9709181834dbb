/** A zone as the rows of the editor have it, and as the daemon does. Pure: no element is touched here. */
import { recordText } from '../../../util/record-text.ts'
import type { FieldError } from '../lib/http.ts'
import type { Difference } from '../parts/dialog.ts'
import type { Records, Zone } from './daemon.ts'

export const FIELDS = ['label', 'type', 'value', 'ttl'] as const
type Field = (typeof FIELDS)[number]
/** As entered. */
export type RecordRow = Readonly<Record<Field, string>>
export interface RowError {
  readonly field: Field
  readonly message: string
}
/** By the index of a row; `rest`: messages of no single record. */
export interface RowErrors {
  readonly byRow: ReadonlyMap<number, RowError>
  readonly rest: readonly string[]
}
/** What the daemon takes where none is given, seconds. */
const DEFAULT_TTL = 300

export const FIRST_ROW: RecordRow = { label: '@', type: 'A', value: '', ttl: '' }

/** One word, in which a blank is a slip of the hand. Any other value stays as it is: blanks of a text are the text's. */
const ONE_WORD: ReadonlySet<string> = new Set(['A', 'AAAA', 'KID'])

export function rowOf(values: Readonly<Partial<Record<Field, string | number | undefined>>>): RecordRow {
  const text = (field: Field) => String(values[field] ?? '')
  const type = text('type').trim()
  const value = text('value')
  return {
    label: text('label').trim(),
    type,
    value: ONE_WORD.has(type.toUpperCase()) ? value.trim() : value,
    ttl: text('ttl').trim()
  }
}

/** A value as a reader can see all of it, in the form that the daemon's commands print. */
export const shownValue = ({ type, value }: Pick<RecordRow, 'type' | 'value'>): string =>
  value === '' ? '' : recordText(type.toUpperCase(), value)

export function rowsOf(records: Records): RecordRow[] {
  const rows = Object.entries(records).flatMap(([label, group]) => group.map((record) => rowOf({ label, ...record })))
  return rows.length === 0 ? [FIRST_ROW] : rows
}

const isSame = (left: RecordRow, right: RecordRow): boolean => FIELDS.every((field) => left[field] === right[field])

/** A row in which nothing was entered is not a record. */
export const isBlank = (row: RecordRow): boolean => isSame(row, FIRST_ROW) || FIELDS.every((field) => row[field] === '')

/** The records of these rows, and the index of each one's row by its path: `www/0`. */
export function recordsOf(rows: readonly RecordRow[]): { records: Records; rowByPath: ReadonlyMap<string, number> } {
  // Without a prototype: a label may be `constructor`.
  const records = Object.create(null) as Record<string, Records[string]>
  const rowByPath = new Map<string, number>()
  rows.forEach((row, index) => {
    if (isBlank(row)) return
    const label = row.label || '@'
    const group = (records[label] ??= [])
    rowByPath.set(`${label}/${group.length}`, index)
    group.push({
      type: row.type.toUpperCase(),
      value: row.value,
      ...(row.ttl !== '' && { ttl: Number(row.ttl) })
    })
  })
  return { records, rowByPath }
}

/** What the daemon says of records. A path of an error is like `records/www/0/value`. */
export function errorsByRow(errors: readonly FieldError[], rowByPath: ReadonlyMap<string, number>): RowErrors {
  const byRow = new Map<number, RowError>()
  const rest: string[] = []
  for (const { path, message } of errors) {
    const [, label = '', index = '0', field = 'label'] = path
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    const row = rowByPath.get(`${label}/${index}`) ?? rowByPath.get(`${label}/0`)
    if (row === undefined) rest.push(message)
    else {
      // The row shows its label itself.
      const text = message.startsWith(`${label}: `) ? message.slice(label.length + 2) : message
      const before = byRow.get(row)
      byRow.set(row, {
        field: before?.field ?? FIELDS.find((each) => each === field) ?? 'label',
        message: before === undefined ? text : `${before.message}; ${text}`
      })
    }
  }
  return { byRow, rest }
}

/** `www 300 A 192.0.2.1`, one line a record. */
function linesOf(records: Records): string[] {
  return Object.entries(records).flatMap(([label, group]) =>
    group.map(({ type, value, ttl = DEFAULT_TTL }) => `${label} ${ttl} ${type} ${shownValue({ type, value })}`)
  )
}

/** The lines of `after` that `before` lacks, and the other way round; each as often as it is missing. */
export function difference(before: Records, after: Records): Difference {
  const without = (lines: readonly string[], others: readonly string[]) => {
    const rest = [...others]
    return lines.filter((line) => {
      const at = rest.indexOf(line)
      if (at >= 0) rest.splice(at, 1)
      return at < 0
    })
  }
  const [old, now] = [linesOf(before), linesOf(after)]
  return { added: without(now, old), removed: without(old, now) }
}

/** A changed record is one change, though a line goes and a line comes. */
export const changeCount = ({ added, removed }: Difference): number => Math.max(added.length, removed.length)

export const isUnchanged = ({ added, removed }: Difference): boolean => added.length + removed.length === 0

/** A zone as it was loaded, with the daemon's serials now, 0 for none. */
interface Shown extends Pick<Zone, 'source' | 'state' | 'serial' | 'trouble'> {
  readonly saved: number
  readonly published: number
  readonly isEdited: boolean
}

/** As the daemon said when the zone was read, unless that serial was published since. */
export const isDraft = ({ state, serial, published }: Pick<Shown, 'state' | 'serial' | 'published'>): boolean =>
  state === 'draft' && serial !== published

export type ZoneWord = 'published' | 'draft' | 'unsaved edits' | 'not known' | 'no zone'

/** What the editor shows: a word for the badge, and a sentence. */
export function zoneState(shown: Shown): { word: ZoneWord; text: string } {
  const { source, serial, saved, isEdited } = shown
  const below = belowEdits(shown)
  const elsewhere =
    source === 'local' && saved > serial
      ? ` It was changed elsewhere since: serial ${saved} is saved now. Saving shows what it would replace.`
      : ''
  if (!isEdited) return { word: below.word, text: `${below.text}${elsewhere}` }
  return {
    word: 'unsaved edits',
    text: `Nothing of your edits is saved yet; this tab keeps them. Without them: ${below.text}${elsewhere}`
  }
}

function belowEdits({ source, state, trouble, serial, published }: Shown): { word: ZoneWord; text: string } {
  if (trouble !== undefined)
    return {
      word: 'not known',
      text: `No draft is saved here, and what is published cannot be read just now: ${trouble}`
    }
  if (source === null) return { word: 'no zone', text: 'No zone is saved here or published.' }
  if (source === 'network')
    return { word: 'published', text: `Serial ${serial}, as peers show it. There is no draft here.` }
  if (!isDraft({ state, serial, published }))
    return { word: 'published', text: `Serial ${serial}, the zone that is published.` }
  return {
    word: 'draft',
    text:
      `Serial ${serial}, which only this daemon has. ` +
      (published > 0 ? `Published is serial ${published}.` : 'Nothing is published.')
  }
}
