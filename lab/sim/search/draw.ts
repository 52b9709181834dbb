/** Draws plans, changes them and mixes two. */
import type { Random } from '../world/random.ts'
import { MOVES } from '../moves/index.ts'
import {
  AUDIENCES,
  FACES,
  PHASES,
  STATES,
  type Action,
  type Lie,
  type Plan,
  type PlannedClaim,
  type Population,
  type Step,
  type Which
} from './plan.ts'

const WHICH: readonly Which[] = ['nearest', 'farthest', 'any']
const MAX_STEPS = 8
const MAX_CLAIMS = 3

/** Moves that are mixed in: not those that need weeks of lead, nor the flood, which takes seconds to play. */
const MIXED = MOVES.filter(
  ({ id, leadDays, routing, isAlone }) =>
    leadDays === undefined && routing !== 'real' && isAlone !== true && id !== 'flood-of-commitments'
)

/** Minutes after the beginning of a phase at which steps begin: moments within a contest, and hours. */
const PLUS_MINUTES = [0, 0.1, 0.5, 1, 2, 5, 30, 90, 600]

export function drawPlan(seed: string, random: Random): Plan {
  const claims = Array.from({ length: 1 + random.below(2) }, () => drawClaim(random))
  const count = 1 + random.below(4)
  const steps = Array.from({ length: count }, () => drawStep(claims.length, count, random))
  return { seed, days: 5 + random.below(2), population: drawPopulation(random), claims, steps }
}

/** One to three changes of parts. */
export function mutated(plan: Plan, seed: string, random: Random): Plan {
  let changed: Plan = { ...plan, seed }
  for (let times = 1 + random.below(3); times > 0; times--) changed = changedOnce(changed, random)
  return changed
}

/** The population of one and steps of both, with the claims that they name. */
export function crossed(left: Plan, right: Plan, seed: string, random: Random): Plan {
  const claims = [...left.claims, ...right.claims].slice(0, MAX_CLAIMS)
  const shifted = right.steps.map((step) => renumbered(step, left.claims.length, left.steps.length, claims.length))
  const steps = [...left.steps, ...shifted].filter((_, index) => index < left.steps.length || random.next() < 0.7)
  return { ...left, seed, claims, steps: steps.slice(0, MAX_STEPS) }
}

function changedOnce(plan: Plan, random: Random): Plan {
  const { steps, claims } = plan
  const place = random.below(Math.max(1, steps.length))
  const draw = random.next()
  if (draw < 0.25 && steps.length < MAX_STEPS)
    return { ...plan, steps: [...steps, drawStep(claims.length, steps.length + 1, random)] }
  if (draw < 0.35 && steps.length > 1) return { ...plan, steps: steps.toSpliced(place, 1) }
  if (draw < 0.45) return { ...plan, population: drawPopulation(random) }
  if (draw < 0.55) return { ...plan, claims: claims.with(random.below(claims.length), drawClaim(random)) }
  if (draw < 0.6 && claims.length < MAX_CLAIMS) return { ...plan, claims: [...claims, drawClaim(random)] }
  const step = steps[place]
  if (step === undefined) return plan
  return { ...plan, steps: steps.with(place, changedStep(step, claims.length, steps.length, random)) }
}

function changedStep(step: Step, claims: number, steps: number, random: Random): Step {
  if (random.next() < 0.4) return { ...step, ...drawMoment(random) }
  if (step.do === 'join' && random.next() < 0.5) return { ...step, count: drawIds(random) }
  if ('lie' in step && random.next() < 0.7) return { ...step, lie: changedLie(step.lie, claims, random) }
  return { ...drawStep(claims, steps, random), at: step.at, plusMinutes: step.plusMinutes }
}

function changedLie(lie: Lie, claims: number, random: Random): Lie {
  const other = drawLie(claims, random)
  const part = random.pick(['face', 'to', 'other', 'claim', 'state', 'vouches'] as const)
  return { ...lie, [part]: other[part] }
}

function renumbered(step: Step, claims: number, steps: number, most: number): Step {
  const claim = (index: number): number => (index + claims) % most
  if ('claim' in step) return { ...step, claim: claim(step.claim) }
  const lied = 'lie' in step ? { ...step, lie: { ...step.lie, claim: claim(step.lie.claim) } } : step
  return 'group' in lied ? { ...lied, group: lied.group + steps } : lied
}

function drawPopulation(random: Random): Population {
  const isCalm = random.next() < 0.6
  return {
    // Churn costs most of a run's time.
    nodes: 20 + random.below(isCalm ? 4 : 2) * 10,
    lifeDays: isCalm ? 0 : random.pick([0, 0, 3, 7]),
    loss: isCalm ? 0 : random.pick([0, 0, 0.05]),
    squaringsPerSecond: random.pick([20_000, 100_000, 333_000]),
    hoursAwake: isCalm ? 24 : random.pick([8, 24]),
    awayDays: isCalm ? 0 : random.pick([0, 0, 2])
  }
}

function drawClaim(random: Random): PlannedClaim {
  return random.next() < 0.35
    ? { kind: 'worked', speed: random.pick([100_000, 333_000, 715_000]) }
    : { kind: 'old', rounds: random.pick([300, 1_000, 30_000, 300_000]), isRenewed: random.next() < 0.2 }
}

function drawIds(random: Random): number {
  return random.pick([1, 2, 3, 4, 5, 6, 8, 10, 11, 12])
}

function drawLie(claims: number, random: Random): Lie {
  return {
    face: random.next() < 0.6 ? 'claim' : random.pick(FACES),
    to: random.next() < 0.5 ? 'all' : random.pick(AUDIENCES),
    other: random.pick(FACES),
    claim: random.below(claims),
    state: random.next() < 0.5 ? 'settled' : random.pick(STATES),
    vouches: random.next() < 0.3
  }
}

function drawMoment(random: Random): Pick<Step, 'at' | 'plusMinutes'> {
  return { at: random.pick(PHASES), plusMinutes: random.pick(PLUS_MINUTES) }
}

function drawStep(claims: number, steps: number, random: Random): Step {
  return { ...drawMoment(random), ...drawAction(claims, steps, random) }
}

function drawAction(claims: number, steps: number, random: Random): Action {
  const draw = random.next()
  const share = random.pick([0.1, 0.2, 0.25, 0.5, 0.75, 1])
  const which = random.pick(WHICH)
  if (draw < 0.35)
    return {
      do: 'join',
      count: drawIds(random),
      where: random.next() < 0.9 ? 'name' : 'anywhere',
      together: random.pick([1, 2, 2, 2, 12]),
      lie: drawLie(claims, random)
    }
  if (draw < 0.65)
    return {
      do: random.next() < 0.5 ? 'commit' : 'put',
      claim: random.below(claims),
      share,
      which,
      times: 1 + random.below(6)
    }
  if (draw < 0.75) return { do: 'turn', group: random.below(steps), lie: drawLie(claims, random) }
  if (draw < 0.82) return { do: random.next() < 0.5 ? 'leave' : 'return', group: random.below(steps) }
  if (draw < 0.92) return drawFault(share, which, random)
  const move = random.pick(MIXED)
  return { do: 'move', id: move.id, ids: move.ids === 0 ? 0 : drawIds(random) }
}

function drawFault(share: number, which: Which, random: Random): Action {
  const hours = random.pick([0.1, 1, 6, 12])
  switch (random.pick(['cut', 'restart', 'sleep', 'beacon', 'clocks'] as const)) {
    case 'cut':
      return { do: 'cut', share, hours, withAttacker: random.next() < 0.5 }
    case 'restart':
      return { do: 'restart', share: Math.min(share, 0.5), which, hours }
    case 'sleep':
      return { do: 'sleep', share: Math.min(share, 0.5), which, hours }
    case 'beacon':
      return { do: 'beacon', hours }
    case 'clocks':
      return { do: 'clocks', share: Math.min(share, 0.5), days: random.pick([-300, -0.01, 0.01, 300]) }
  }
}
