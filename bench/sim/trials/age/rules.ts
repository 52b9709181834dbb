/** What a resolver without a pin shows where it also knows how old each shown claim is. */
import type { Seen } from '../../people/resolver.ts'

export const AGE_RULES = ['today', 'defence', 'over-votes'] as const
export type AgeRule = (typeof AGE_RULES)[number]

/** Owners in hex whose claims are shown, with the age of each in days; 0 without evidence. */
export type Ages = ReadonlyMap<string, number>

/** A claim is much younger than another by this factor, as the issue proposes. Others are tried in thresholds.ts. */
export const MUCH = 4

/** Below this many days no age counts: every claim is young at first. */
export const LEAST_DAYS = 30

export type Answer =
  { readonly kind: Exclude<Seen['kind'], 'owner'> } | { readonly kind: 'owner'; readonly owner: string }

export type Sight = 'right' | 'wrong' | 'contested' | 'missing'

export function shownBy(rule: AgeRule, seen: Pick<Seen, 'kind' | 'owner'>, ages: Ages, much = MUCH): Answer {
  const byVotes = asAnswer(seen)
  if (rule === 'today') return byVotes
  const [oldest, second] = [...ages].sort(([, left], [, right]) => right - left)
  if (oldest === undefined || oldest[1] < LEAST_DAYS) return byVotes
  if (rule === 'over-votes') {
    const isMuchOlder = second === undefined || oldest[1] >= much * second[1]
    return isMuchOlder ? { kind: 'owner', owner: oldest[0] } : byVotes
  }
  return oldest[1] >= much * Math.max(1, ageOfAnswer(byVotes, ages)) ? { kind: 'contested' } : byVotes
}

/** That nobody holds the name is as young as can be, and yields to evidence of a claim. */
function ageOfAnswer(answer: Answer, ages: Ages): number {
  if (answer.kind === 'owner') return ages.get(answer.owner) ?? 0
  return answer.kind === 'none' ? 0 : Infinity
}

export function sightOf(answer: Answer, owner: string): Sight {
  if (answer.kind === 'owner') return answer.owner === owner ? 'right' : 'wrong'
  return answer.kind === 'contested' ? 'contested' : 'missing'
}

function asAnswer({ kind, owner }: Pick<Seen, 'kind' | 'owner'>): Answer {
  return kind === 'owner' ? { kind, owner: owner! } : { kind }
}
