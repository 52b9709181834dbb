/** Words for numbers and times. Pure. */

const UNITS = [
  ['d', 86400],
  ['h', 3600],
  ['min', 60],
  ['s', 1]
]

/** 93784 -> "1 d 2 h": the two largest units. `seconds` may be fractional; less than 0 counts as 0. */
export function duration(seconds) {
  let rest = Math.max(0, Math.round(seconds))
  const parts = []
  for (const [unit, size] of UNITS) {
    if (rest >= size) parts.push(`${Math.floor(rest / size)} ${unit}`)
    rest %= size
  }
  return parts.slice(0, 2).join(' ') || '0 s'
}

export const count = (number) => number.toLocaleString('en')

/** 1234567 -> "1.23 M": for rates and axes. */
export function short(number) {
  for (const [sign, size] of [
    ['G', 1e9],
    ['M', 1e6],
    ['k', 1e3]
  ])
    if (Math.abs(number) >= size) return `${Number((number / size).toPrecision(3))} ${sign}`
  return String(Number(number.toPrecision(3)))
}

/** 1536 -> "1.5 KiB". */
export function bytes(number) {
  for (const [unit, size] of [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['KiB', 2 ** 10]
  ])
    if (number >= size) return `${Number((number / size).toPrecision(3))} ${unit}`
  return `${number} B`
}

/** plural(1, 'name') -> "1 name"; plural(2, 'entry', 'entries') -> "2 entries". */
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`

/** "in 3 d 2 h", "5 min ago", "now". Both in milliseconds. */
export function relative(atMs, nowMs) {
  const seconds = (atMs - nowMs) / 1000
  if (Math.abs(seconds) < 1) return 'now'
  return seconds > 0 ? `in ${duration(seconds)}` : `${duration(-seconds)} ago`
}

export const percent = (share) => `${Math.floor(100 * Math.min(1, Math.max(0, share)))}%`

/** A date and time in the words of this browser. `at`: an ISO time or milliseconds. */
export const dateTime = (at) => new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
export const date = (at) => new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' })
export const time = (at) => new Date(at).toLocaleTimeString()

/** A sentence of the daemon with its ISO times in the words of this browser. */
export const localTimes = (text) => text.replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => dateTime(at))

/** The ends of a long hash or key: "12D3Koo…9fQz". */
export const ends = (text, head = 8, tail = 6) =>
  text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`
