import { roundTimeMs } from '../protocol/time/beacon-time.ts'
import { leaseState, type Lease } from '../protocol/name/lease.ts'
import type { RegistryContext } from './context.ts'

export function leaseOf(context: Pick<RegistryContext, 'time' | 'profile'>, newestRound: number): Lease {
  return leaseState(newestRound, context.time().lapse, context.profile)
}

/** When a round is due, ISO 8601. */
export function roundTime(context: Pick<RegistryContext, 'profile'>, round: number): string {
  return new Date(roundTimeMs(round, context.profile.beacon)).toISOString()
}

export function leaseEndsMs(context: RegistryContext, name: string): readonly number[] {
  const record = context.owned.get(name)
  if (record === undefined) return []
  const { endRound, graceEndRound } = leaseOf(context, record.reveal.drand_pulse)
  return [endRound, graceEndRound].map((round) => roundTimeMs(round, context.profile.beacon))
}
