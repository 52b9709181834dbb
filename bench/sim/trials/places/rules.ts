/** What a resolver of a name in two places could make of what each place shows. Rules on trial only. */
import { diverse } from '../../../../src/protocol/neighbourhood/diversity.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import type { NetworkProfile } from '../../../../src/protocol/profile/profile.ts'
import type { Seen } from '../../people/resolver.ts'

export const PLACE_RULES = ['one', 'both', 'joint', 'either'] as const
export type PlaceRule = (typeof PLACE_RULES)[number]
export type Judged = Pick<Seen, 'kind' | 'owner'>

/**
 * `one`: the first place alone, as today. `both`: the same owner at both, otherwise contested. `joint`: more than half
 * of the votes of both together. `either`: the owner that one place shows, unless the other shows another.
 */
export function judge(rule: PlaceRule, first: Seen, second: Seen, profile: NetworkProfile): Judged {
  switch (rule) {
    case 'one':
      return first
    case 'joint':
      return joint(first, second, profile)
    case 'both':
    case 'either': {
      const owners = [first, second].flatMap(({ owner }) => owner ?? [])
      const [owner] = owners
      if (new Set(owners).size > 1) return { kind: 'contested' }
      if (owner !== undefined && (rule === 'either' || owners.length === 2)) return { kind: 'owner', owner }
      const isHeld = [first, second].some(({ kind }) => kind === 'owner' || kind === 'contested')
      return { kind: isHeld ? 'contested' : 'none' }
    }
  }
}

function joint(first: Seen, second: Seen, profile: NetworkProfile): Judged {
  const votes = [first, second].flatMap(({ answers }) =>
    diverse(answers, profile).flatMap(({ held }) =>
      held === undefined || held.state === 'provisional' ? [] : toHex(held.claim.pubkey)
    )
  )
  if (votes.length === 0) return { kind: 'none' }
  const owner = votes.find((vote) => votes.filter((other) => other === vote).length * 2 > votes.length)
  return owner === undefined ? { kind: 'contested' } : { kind: 'owner', owner }
}
