/** Words for numbers and times. Pure. */

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86400],
  ['h', 3600],
  ['min', 60],
  ['s', 1]
]

/** 93784 -> "1 d 2 h": the two largest units. `seconds` may be fractional; less than 0 counts as 0. */
export function duration(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds))
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    if (rest >= size) parts.push(`${Math.floor(rest / size)} ${unit}`)
    rest %= size
  }
  return parts.slice(0, 2).join(' ') || '0 s'
}

export { count, plural } from '../../../util/words.ts'

/** 1234567 -> "1.23 M": for rates. */
export function short(number: number): string {
  for (const [sign, size] of [
    ['G', 1e9],
    ['M', 1e6],
    ['k', 1e3]
  ] as const)
    if (Math.abs(number) >= size) return `${Number((number / size).toPrecision(3))} ${sign}`
  return String(Number(number.toPrecision(3)))
}

/** 1536 -> "1.5 KiB". */
export function bytes(number: number): string {
  for (const [unit, size] of [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['KiB', 2 ** 10]
  ] as const)
    if (number >= size) return `${Number((number / size).toPrecision(3))} ${unit}`
  return `${number} B`
}

/** "in 3 d 2 h", "5 min ago", "now". Both in milliseconds. */
export function relative(atMs: number, nowMs: number): string {
  const seconds = (atMs - nowMs) / 1000
  if (Math.abs(seconds) < 1) return 'now'
  return seconds > 0 ? `in ${duration(seconds)}` : `${duration(-seconds)} ago`
}

/** Whether a text has each word of a search, in any case. */
export const hasWords = (text: string, search: string): boolean =>
  search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word))

export const percent = (share: number): string => `${Math.floor(100 * Math.min(1, Math.max(0, share)))}%`

/** A date and time in the words of this browser. `at`: an ISO time or milliseconds. */
export const dateTime = (at: string | number): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
export const date = (at: string | number): string => new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' })
export const time = (at: string | number): string => new Date(at).toLocaleTimeString()

/** A sentence of the daemon with its ISO times in the words of this browser. */
export const localTimes = (text: string): string => text.replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => dateTime(at))

/** The ends of a long hash or key: "12D3Koo…9fQz". */
export const ends = (text: string, head = 8, tail = 6): string =>
  text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`
