/** Makes a plan smaller while it does what it did. */
import { smallerPlans } from './smaller.ts'
import type { Plan } from './plan.ts'

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
