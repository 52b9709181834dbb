import type { PeerView } from '../lib/api.ts'

/** How many peers each address prefix has, most first. Pure. */
export function prefixesOf(peers: readonly Pick<PeerView, 'prefix'>[]): { prefix: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { prefix } of peers) if (prefix !== null) counts.set(prefix, (counts.get(prefix) ?? 0) + 1)
  return [...counts]
    .map(([prefix, count]) => ({ prefix, count }))
    .sort((left, right) => right.count - left.count || (left.prefix < right.prefix ? -1 : 1))
}
