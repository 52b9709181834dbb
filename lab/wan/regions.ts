/** Round trips between regions of the world as somebody published them: regions.json says who, and when. */
import published from './regions.json' with { type: 'json' }

export const SOURCE = `${published.source}, ${published.edition}`
export const REGIONS = published.regions.length

/** Two places of one region. The source leaves them out; this is assumed. */
const WITHIN_REGION_MS = 2

/** Milliseconds, there and back. Places take the regions in turn. */
export function publishedTripMs(one: number, other: number): number {
  const [less, more] = [one % REGIONS, other % REGIONS].sort((left, right) => left - right)
  return published.regions[more!]!.trips[less!] ?? WITHIN_REGION_MS
}
