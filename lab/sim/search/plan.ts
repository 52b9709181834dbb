/** A plan: a population and what an attacker does in it, as data, so that it can be mixed, shrunk and replayed. */

/**
 * Moments of the victim's name: an hour before its commitment, once it has p, a minute before its work is done, when it
 * is done, ten minutes later, when it is settled, and when resolvers have firm pins.
 */
export const PHASES = ['before', 'committed', 'near', 'contest', 'settling', 'settled', 'pinned'] as const
export type Phase = (typeof PHASES)[number]

/** What liars answer to `get` and `list`. `owner`: the victim's record where there is one. */
export const FACES = ['claim', 'owner', 'nothing', 'silent'] as const
export type Face = (typeof FACES)[number]

/** Who is answered so: all, or half of the nodes, or those that hold no records (owners, resolvers). */
export const AUDIENCES = ['all', 'half', 'holders', 'clients'] as const
type Audience = (typeof AUDIENCES)[number]

export const STATES = ['fresh', 'settling', 'settled', 'provisional'] as const

/** How ids of the attacker answer. */
export interface Lie {
  readonly face: Face
  readonly to: Audience
  /** What the others get. */
  readonly other: Face
  /** Number of the claim in `claims`. */
  readonly claim: number
  readonly state: (typeof STATES)[number]
  /** Hands over the commitments of all claims, dated as early as the claims need. */
  readonly vouches: boolean
}

/**
 * A claim of the attacker's, with a VDF. `worked`: its pulse follows its first commitment, and it is done half an hour
 * later at `speed` squarings a second. `old`: of a pulse that many rounds before the victim begins, without a commitment,
 * and worked for on the fastest chip.
 */
export type PlannedClaim =
  | { readonly kind: 'worked'; readonly speed: number }
  | { readonly kind: 'old'; readonly rounds: number; readonly isRenewed: boolean }

export type Action =
  | {
      readonly do: 'join'
      readonly count: number
      readonly where: 'name' | 'anywhere'
      /** How many ids share a /24. */
      readonly together: number
      readonly lie: Lie
    }
  /** Ids of a former step answer otherwise, leave, or come back. */
  | { readonly do: 'turn'; readonly group: number; readonly lie: Lie }
  | { readonly do: 'leave' | 'return'; readonly group: number }
  /** Sends C of a claim, or its record, to a share of the holders: the nearest, the farthest or any. */
  | {
      readonly do: 'commit' | 'put'
      readonly claim: number
      readonly share: number
      readonly which: Which
      readonly times: number
    }
  /** The nodes nearest to the key hear only each other and, where `withAttacker`, the attacker's ids. */
  | { readonly do: 'cut'; readonly share: number; readonly hours: number; readonly withAttacker: boolean }
  | { readonly do: 'restart' | 'sleep'; readonly share: number; readonly which: Which; readonly hours: number }
  | { readonly do: 'beacon'; readonly hours: number }
  | { readonly do: 'clocks'; readonly share: number; readonly days: number }
  /** A move of lab/sim/moves. */
  | { readonly do: 'move'; readonly id: string; readonly ids: number }

export type Which = 'nearest' | 'farthest' | 'any'

const ACTIONS: readonly Action['do'][] = [
  'join',
  'turn',
  'leave',
  'return',
  'commit',
  'put',
  'cut',
  'restart',
  'sleep',
  'beacon',
  'clocks',
  'move'
]

export type Step = Action & { readonly at: Phase; readonly plusMinutes: number }

export interface Population {
  readonly nodes: number
  /** Mean days that an honest node stays; 0: none goes. */
  readonly lifeDays: number
  /** Share of all messages that is lost. */
  readonly loss: number
  /** The victim's speed, and its hours awake a day. */
  readonly squaringsPerSecond: number
  readonly hoursAwake: number
  /** Days after the name is published in which the owner is away. */
  readonly awayDays: number
}

export interface Plan {
  readonly seed: string
  readonly days: number
  readonly population: Population
  readonly claims: readonly PlannedClaim[]
  readonly steps: readonly Step[]
}

/** Throws an Error that names cause and cure for text that is not a plan. */
export function parsePlan(text: string): Plan {
  let plan: Partial<Plan>
  try {
    plan = JSON.parse(text) as Partial<Plan>
  } catch {
    throw new Error('the plan is not JSON; quote it as --search prints it')
  }
  const { population, claims, steps } = plan
  if (population === undefined || !Array.isArray(claims) || !Array.isArray(steps) || typeof plan.seed !== 'string')
    throw new Error('a plan has seed, days, population, claims and steps; take one that --search prints')
  if (!(Number(plan.days) > 0) || !(population.nodes >= 2))
    throw new Error('a plan needs days above 0 and population.nodes from 2')
  const bad = (steps as readonly Step[]).find(({ at, plusMinutes }) => !PHASES.includes(at) || !(plusMinutes >= 0))
  if (bad !== undefined) throw new Error(`a step begins at one of ${PHASES.join(', ')}, plusMinutes from 0 on`)
  const unknown = (steps as readonly Step[]).find((step) => !ACTIONS.includes(step.do))
  if (unknown !== undefined) throw new Error(`${unknown.do} is not an action: ${ACTIONS.join(', ')}`)
  const missing = (steps as readonly Step[]).find((step) => claimOf(step) !== undefined && !claims[claimOf(step)!])
  if (missing !== undefined) throw new Error(`a step names claim ${claimOf(missing)}, and claims has ${claims.length}`)
  return plan as Plan
}

function claimOf(step: Step): number | undefined {
  return 'claim' in step ? step.claim : 'lie' in step ? step.lie.claim : undefined
}
