/** Numbers and times as people read them. Pure. */
import { stripVTControlCharacters } from 'node:util'
import { escapeOf, HIDDEN, printable } from '../../util/printable.ts'
import { plural } from '../../util/words.ts'

export { printable }

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const DAY_S = 24 * HOUR_S
const YEAR_S = 365 * DAY_S

/** Squarings per second: "812 /s", "333.1 K/s", "1.20 M/s". */
export function formatRate(perSecond: number): string {
  if (perSecond >= 1e6) return `${(perSecond / 1e6).toFixed(2)} M/s`
  if (perSecond >= 1e3) return `${(perSecond / 1e3).toFixed(1)} K/s`
  return `${perSecond.toFixed(0)} /s`
}

/** A duration in seconds with its two largest units, such as "0.4 s", "3 min 05 s" or "1 y 20 d". */
export function formatDuration(seconds: number): string {
  const value = Math.max(0, seconds)
  if (value < 9.95) return `${value.toFixed(1)} s`
  const whole = Math.round(value)
  if (whole < MINUTE_S) return `${whole} s`
  if (whole < HOUR_S) return `${Math.floor(whole / MINUTE_S)} min ${String(whole % MINUTE_S).padStart(2, '0')} s`
  if (whole < DAY_S)
    return `${Math.floor(whole / HOUR_S)} h ${String(Math.floor((whole % HOUR_S) / MINUTE_S)).padStart(2, '0')} min`
  if (whole < YEAR_S) return `${Math.floor(whole / DAY_S)} d ${Math.floor((whole % DAY_S) / HOUR_S)} h`
  return `${Math.floor(whole / YEAR_S)} y ${Math.floor((whole % YEAR_S) / DAY_S)} d`
}

/** Distance of a moment from `nowMs`: "in 3 d 4 h" or "2 h 14 min ago". Returns text that is not a date. */
export function formatRelative(iso: string, nowMs: number): string {
  const at = Date.parse(iso)
  if (Number.isNaN(at)) return iso
  const seconds = (at - nowMs) / 1000
  return seconds >= 0 ? `in ${formatDuration(seconds)}` : `${formatDuration(-seconds)} ago`
}

/** Those that this program writes itself: the colours of `Style`, and line ends. Others could hide text. */
const OWN = String.raw`\u001b\[(?:[12]|22|3[1236]|39|4[09]|97)m|\n`
const STRAY = new RegExp(`(?<own>${OWN})|[${HIDDEN}]`, 'gu')

/** A whole message, which keeps its line ends and colours: what nobody has escaped before goes no further. */
export function printableMessage(text: string): string {
  return text.replace(STRAY, (mark, own: string | undefined) => own ?? escapeOf(mark))
}

/** Columns that a text takes; colours take none. */
function visible(text: string): number {
  return stripVTControlCharacters(text).length
}

const GAP = '  '

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, visible(cell))
  return widths
}

/** Columns that {@link formatTable} takes for these rows. */
export function tableWidth(rows: readonly (readonly string[])[]): number {
  return widthsOf(rows).reduce((sum, width) => sum + width + GAP.length, -GAP.length)
}

/** Rows as aligned columns; the first row is the heading. Empty columns at the end leave no blanks. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = widthsOf(rows)
  return rows
    .map((row) =>
      row
        .map((cell, column) => `${cell}${' '.repeat(widths[column]! - visible(cell))}`)
        .join(GAP)
        .trimEnd()
    )
    .join('\n')
}

/** As {@link formatTable}; rows wider than `columns` have their first cell in a line of its own. */
export function fitTable(rows: readonly (readonly string[])[], columns: number): string {
  if (tableWidth(rows) <= columns) return formatTable(rows)
  const lines = formatTable(rows.map(([, ...rest]) => rest)).split('\n')
  return rows.map(([first = ''], index) => `${first}\n${GAP}${lines[index] ?? ''}`).join('\n')
}

/** `label  value` lines, labels aligned. */
export function formatFields(fields: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...fields.map(([label]) => label.length))
  return fields.map(([label, value]) => `${label.padEnd(width)}  ${value}`).join('\n')
}

/** How many peers hold what was published: "held by 3 of 5 peers asked". */
export function heldBy({ stored_by: holders, of }: { readonly stored_by: number; readonly of: number }): string {
  return `held by ${holders} of ${plural(of, 'peer')} asked`
}

/** JSON of the network as it is: its shape is the reader's concern. */
export function indentedJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).split('\n').map(printable).join('\n')
}
