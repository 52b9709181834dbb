/** Makes a plan smaller while it does what it did. */
import type { Lie, Plan, Population, Step } from './plan.ts'

/** Plays of one shrinking at most. */
const MOST_PLAYS = 60

/**
 * The smallest plan found that still does it: each pass tries fewer steps, fewer ids, calmer populations and plainer
 * parameters, until none of them helps.
 *
 * @param isStill plays it
 */
export async function shrinkPlan(plan: Plan, isStill: (smaller: Plan) => Promise<boolean>): Promise<Plan> {
  let best = plan
  for (let plays = 0; ;) {
    let found: Plan | undefined
    for (const smaller of smallerPlans(best)) {
      if (plays++ >= MOST_PLAYS) return best
      if (!(await isStill(smaller))) continue
      found = smaller
      break
    }
    if (found === undefined) return best
    best = found
  }
}

const CALM: Omit<Population, 'nodes' | 'squaringsPerSecond'> = { lifeDays: 0, loss: 0, hoursAwake: 24, awayDays: 0 }
const PLAIN: Omit<Lie, 'face' | 'claim'> = { to: 'all', other: 'nothing', state: 'settled', vouches: false }

function* smallerPlans(plan: Plan): IterableIterator<Plan> {
  const { steps, population, claims } = plan
  for (const index of steps.keys()) yield withoutStep(plan, index)
  for (const [index, step] of steps.entries())
    for (const smaller of smallerSteps(step)) yield { ...plan, steps: steps.with(index, smaller) }
  for (const [part, calm] of Object.entries(CALM))
    if (population[part as keyof Population] !== calm) yield { ...plan, population: { ...population, [part]: calm } }
  if (population.squaringsPerSecond < 333_000)
    yield { ...plan, population: { ...population, squaringsPerSecond: 333_000 } }
  if (population.nodes > 30) yield { ...plan, population: { ...population, nodes: 30 } }
  const last = claims.length - 1
  if (last > 0 && steps.every((step) => numberOf(step) !== last)) yield { ...plan, claims: claims.slice(0, last) }
}

/** Groups keep their numbers. */
function withoutStep(plan: Plan, index: number): Plan {
  const steps = plan.steps
    .filter((step, place) => place !== index && !('group' in step && step.group === index))
    .map((step) => {
      if (!('group' in step)) return step
      const gone = plan.steps.filter(
        (other, place) => place < step.group && (place === index || ('group' in other && other.group === index))
      ).length
      return { ...step, group: step.group - gone }
    })
  return { ...plan, steps }
}

function* smallerSteps(step: Step): IterableIterator<Step> {
  if (step.do === 'join') {
    for (const count of new Set([1, Math.floor(step.count / 2), step.count - 1]))
      if (count > 0 && count < step.count) yield { ...step, count }
    if (step.together !== 2) yield { ...step, together: 2 }
    if (step.where !== 'name') yield { ...step, where: 'name' }
  }
  if (step.do === 'move' && step.ids > 1) yield { ...step, ids: step.ids - 1 }
  if ('lie' in step) {
    for (const [part, plain] of Object.entries(PLAIN))
      if (step.lie[part as keyof Lie] !== plain) yield { ...step, lie: { ...step.lie, [part]: plain } }
    if (step.lie.face !== 'nothing') yield { ...step, lie: { ...step.lie, face: 'nothing' } }
  }
  if ('times' in step && step.times > 1) yield { ...step, times: 1 }
  if ('share' in step && step.share > 0.2) yield { ...step, share: step.share / 2 }
  if ('hours' in step && step.hours > 1) yield { ...step, hours: step.hours / 2 }
  if (step.plusMinutes > 0) yield { ...step, plusMinutes: 0 }
}

function numberOf(step: Step): number | undefined {
  return 'claim' in step ? step.claim : 'lie' in step ? step.lie.claim : undefined
}
