/**
 * How many should be there to answer, not who is found. Where the profile limits prefixes the count is k and the
 * quorums are fixed: how large the network is, and who is in it, a newcomer knows only from those who answer it [the
 * first peer that a newcomer meets]. Elsewhere those that are known are all there are.
 */
import type { DiversityLimits } from './diversity.ts'
import type { NetworkProfile } from '../profile/profile.ts'

type Limits = DiversityLimits & Pick<NetworkProfile, 'k'>

/** Of how many a majority is more than half, where `found` were found. */
export function electorate(found: number, { answers_per_prefix, k }: Limits): number {
  return answers_per_prefix > 0 ? Math.max(found, k) : found
}

/** How many of those known must answer, where the profile asks for `quorum`. */
export function quorumOf(quorum: number, known: number, { answers_per_prefix }: DiversityLimits): number {
  return answers_per_prefix > 0 ? quorum : Math.min(quorum, known)
}
