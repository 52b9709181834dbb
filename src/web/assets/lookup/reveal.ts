/** Reads the body of GET /api/resolve/{name}. Pure. */

export const hexOf = (numbers) => numbers.map((each) => each.toString(16).padStart(2, '0')).join('')

/** `{serial, rows: [{key, label, type, value, ttl}]}` of its payload, the apex first; undefined for what is no zone. */
export function zoneOf({ payload }) {
  try {
    const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0))
    const { serial = null, records } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    const rows = Object.entries(records)
      .sort(([left], [right]) => (left === '@' ? -1 : right === '@' ? 1 : left < right ? -1 : 1))
      .flatMap(([label, all]) =>
        all.map(({ type, value, ttl }) => ({ key: `${label} ${type} ${value}`, label, type, value, ttl }))
      )
    return { serial, rows }
  } catch {
    return undefined
  }
}
