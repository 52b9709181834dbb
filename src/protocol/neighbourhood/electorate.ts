/**
 * How many should answer, not who is found. Where the profile limits prefixes, the electorate is k and quorums are
 * fixed. A newcomer knows the network's size and members only from those that answer it [the first peer that a newcomer
 * meets]. Elsewhere the known peers are all there are.
 */
import type { DiversityLimits } from './diversity.ts'
import type { NetworkProfile } from '../profile/profile.ts'

type Limits = DiversityLimits & Pick<NetworkProfile, 'k'>

/** The electorate: a majority is more than half of it. `found` peers were found. */
export function electorate(found: number, { answers_per_prefix, k }: Limits): number {
  return answers_per_prefix > 0 ? Math.max(found, k) : found
}

export function quorumOf(quorum: number, known: number, { answers_per_prefix }: DiversityLimits): number {
  return answers_per_prefix > 0 ? quorum : Math.min(quorum, known)
}
