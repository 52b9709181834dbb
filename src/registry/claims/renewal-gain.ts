import type { Name } from '../../protocol/name/names.ts'
import { linksOf } from '../../protocol/claim/reveal.ts'
import type { RegistryContext } from '../context.ts'
import { leaseOf } from '../lease-times.ts'
import type { RenewalGain } from '../../views/task.ts'

/**
 * What a renewal with the pulse of `startRound` gives a name of ours, and how many renewals the network still allows.
 * Nulls where there is nothing to renew.
 */
export function renewalGain(context: RegistryContext, name: Name, startRound: number): RenewalGain {
  const { profile, owned } = context
  const record = owned.get(name)
  if (record === undefined || leaseOf(context, record.reveal.drand_pulse).state === 'dead')
    return { gain_seconds: null, left: null }
  const { reveal } = record
  return {
    gain_seconds: Math.max(0, startRound - reveal.drand_pulse) * profile.beacon.period,
    left: Math.max(0, profile.chain_max + 1 - linksOf(reveal).length)
  }
}
