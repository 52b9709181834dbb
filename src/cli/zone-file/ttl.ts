/** Seconds of a unit, as BIND and RFC 2308 files write them. */
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** Longest TTL (RFC 2181, section 8). */
const MAX_SECONDS = 2 ** 31 - 1

/** Seconds of `300`, `1h` or `1h30m`; undefined for what is no TTL. Throws Error above 2^31-1. */
export function parseTtl(text: string): number | undefined {
  if (!/^(?:\d+|(?:\d+[smhdw])+)$/iu.test(text)) return undefined
  const seconds = /^\d+$/u.test(text)
    ? Number(text)
    : [...text.matchAll(/(\d+)([a-z])/giu)].reduce(
        (sum, [, count, unit]) => sum + Number(count) * UNITS[unit!.toLowerCase()]!,
        0
      )
  if (!(seconds <= MAX_SECONDS)) throw new Error(`the TTL ${text} is longer than ${MAX_SECONDS} seconds`)
  return seconds
}
