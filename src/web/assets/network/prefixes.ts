/** How many peers each address prefix has: `[{prefix, count}]`, most first. Pure. */
export function prefixesOf(peers) {
  const counts = new Map()
  for (const { prefix } of peers) if (prefix !== null) counts.set(prefix, (counts.get(prefix) ?? 0) + 1)
  return [...counts]
    .map(([prefix, count]) => ({ prefix, count }))
    .sort((left, right) => right.count - left.count || (left.prefix < right.prefix ? -1 : 1))
}
