/** Reads the body of GET /api/resolve/{name}. Pure. */

import type { RevealBody, ZoneBody } from '../lib/api.ts'

export const hexOf = (numbers: readonly number[]): string =>
  numbers.map((each) => each.toString(16).padStart(2, '0')).join('')

export interface ZoneRow {
  readonly key: string
  readonly label: string
  readonly type: string
  readonly value: string
  readonly ttl: number | undefined
}

/** Of its payload, the apex first; undefined for what is no zone. */
export function zoneOf({
  payload
}: Pick<RevealBody, 'payload'>): { serial: number | null; rows: ZoneRow[] } | undefined {
  try {
    const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0))
    const { serial = null, records } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as ZoneBody
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
