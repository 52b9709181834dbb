/**
 * How often one name may change at a storing node: once per `interval` seconds, `burst` at once. Later changes wait,
 * and the newest of them counts.
 */
import type { NetworkProfile } from '../profile/profile.ts'

export interface ChangeBudget {
  /** Changes still allowed at once. */
  readonly left: number
  readonly atMs: number
}

/**
 * The budget after one change; undefined when it must wait (until `nextChangeMs`). Before a name's first change there
 * is no budget.
 */
export function spendChange(
  budget: ChangeBudget | undefined,
  nowMs: number,
  profile: NetworkProfile
): ChangeBudget | undefined {
  const left = refilled(budget, nowMs, profile)
  return left < 1 ? undefined : { left: left - 1, atMs: nowMs }
}

export function nextChangeMs(budget: ChangeBudget | undefined, nowMs: number, profile: NetworkProfile): number {
  const missing = 1 - refilled(budget, nowMs, profile)
  return missing <= 0 ? nowMs : nowMs + Math.ceil(missing * profile.changes.interval * 1000)
}

/** A clock set back refills nothing, unless by more than a full refill takes: then nobody waits until it is as before. */
function refilled(budget: ChangeBudget | undefined, nowMs: number, profile: NetworkProfile): number {
  const { interval, burst } = profile.changes
  if (budget === undefined || interval === 0) return burst
  const changes = (nowMs - budget.atMs) / (interval * 1000)
  return changes < -burst ? burst : Math.min(burst, budget.left + Math.max(0, changes))
}
