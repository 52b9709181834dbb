/** What the rules let attackers do (docs/threat-model.md, "Many ids near a key"). More than that is a finding. */
import type { Harm } from '../moves/move.ts'
import { ORDER } from '../figures/harm.ts'
import type { Used } from './actions.ts'
import type { Plan } from './plan.ts'

interface Limit {
  readonly when: string
  readonly applies: (used: Used, plan: Plan) => boolean
  readonly allows: Harm
}

/** A majority of twenty. */
const MAJORITY = 11

/** P14 to P17 hold while less than half of a name's neighbours lie (docs/protocol/rules.md, 18). */
export function isHalf({ diverseIds }: Used): boolean {
  return diverseIds >= MAJORITY - 1
}

/** `witness_quorum` of network `main`. */
const WITNESSES = 5

const beganBefore = (plan: Plan, phases: readonly string[]): boolean =>
  plan.steps.some(({ do: what, at }) => (what === 'join' || what === 'move') && phases.includes(at))

/** The worst of those that apply; none: harmless. */
export const LIMITS: readonly Limit[] = [
  {
    when: 'parts that do not hear each other, nodes or owners asleep, wrong clocks, a stopped beacon, lost messages',
    applies: ({ faults }, { population }) => faults.size > 0 || population.loss > 0 || population.awayDays > 0,
    allows: 'censored'
  },
  {
    when: 'a rival whose commitment five holders saw in time',
    applies: ({ witnesses }) => witnesses >= WITNESSES,
    allows: 'taken'
  },
  {
    when: 'a finished claim that a holder was shown before the owner committed: it came first',
    applies: ({ isShownFirst }) => isShownFirst,
    allows: 'taken'
  },
  {
    when: 'five ids or more that came before the commitment, and a finished claim',
    applies: ({ earlyIds }) => earlyIds >= WITNESSES,
    allows: 'taken'
  },
  {
    when: 'ten ids: half of those that are asked',
    applies: ({ diverseIds }) => diverseIds >= MAJORITY - 1,
    allows: 'censored'
  },
  {
    when: 'eleven ids: a majority of those that are asked',
    applies: ({ diverseIds }) => diverseIds >= MAJORITY,
    allows: 'unpinned'
  },
  {
    when: 'eleven ids before the name is settled',
    applies: ({ diverseIds }, plan) =>
      diverseIds >= MAJORITY && beganBefore(plan, ['before', 'committed', 'near', 'contest', 'settling']),
    allows: 'taken'
  },
  {
    when: 'seven ids while nodes come and go, or do not answer: some looks show no majority, then the thief',
    applies: ({ diverseIds, faults }, { population }) =>
      diverseIds >= 7 && (population.lifeDays > 0 || population.loss > 0 || faults.size > 0),
    allows: 'taken'
  }
]

export function allowed(used: Used, plan: Plan): Harm {
  const harms = [...LIMITS.filter(({ applies }) => applies(used, plan)).map(({ allows }) => allows), ...used.moves]
  return harms.reduce<Harm>((worst, next) => (isWorse(next, worst) ? next : worst), 'harmless')
}

export function isWorse(left: Harm, right: Harm): boolean {
  return ORDER.indexOf(left) > ORDER.indexOf(right)
}
