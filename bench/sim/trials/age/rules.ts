/** What a resolver without a pin shows where it also knows how old each shown claim is. */
import type { Seen } from '../../people/resolver.ts'

export const AGE_RULES = ['today', 'defence', 'over-votes'] as const
export type AgeRule = (typeof AGE_RULES)[number]

/** Owners in hex that any answer shows, with the age of their claims in days; 0 without evidence. */
export type Ages = ReadonlyMap<string, number>

/**
 * A claim is much younger than another by this factor. No less than what a fast chip gains: it does ticks of past days
 * after the fact, 2.1 times as fast as the server that the rules reckon with (docs/protocol/wire.md, 2).
 */
export const MUCH = 4

/** Below this many days no age counts: every claim is young at first. */
export const LEAST_DAYS = 30

export type Shown =
  { readonly kind: Exclude<Seen['kind'], 'owner'> } | { readonly kind: 'owner'; readonly owner: string }

export function shownBy(rule: AgeRule, seen: Pick<Seen, 'kind' | 'owner'>, ages: Ages): Shown {
  const byVotes = asShown(seen)
  if (rule === 'today') return byVotes
  const [oldest, second] = [...ages].sort(([, left], [, right]) => right - left)
  if (oldest === undefined || oldest[1] < LEAST_DAYS) return byVotes
  if (rule === 'over-votes') {
    const isMuchOlder = second === undefined || oldest[1] >= MUCH * second[1]
    return isMuchOlder ? { kind: 'owner', owner: oldest[0] } : byVotes
  }
  const own = byVotes.kind === 'owner' ? (ages.get(byVotes.owner) ?? 0) : Infinity
  return oldest[1] >= MUCH * Math.max(1, own) ? { kind: 'contested' } : byVotes
}

function asShown({ kind, owner }: Pick<Seen, 'kind' | 'owner'>): Shown {
  return kind === 'owner' ? { kind, owner: owner! } : { kind }
}
