/**
 * Two simultaneous claims, each witnessed by a part of the neighbourhood. The order of contests still decides between
 * them later. Otherwise few liars, who tell each part what it holds, keep both alive [liars who keep a contest
 * divided].
 */
import { equalBytes } from '../encoding/bytes.ts'
import { diverse } from '../neighbourhood/diversity.ts'
import { quorumOf } from '../neighbourhood/electorate.ts'
import { ownSight, type Entry } from './entry.ts'
import { believed, heldOf, type Agreed, type NeighbourFacts } from './neighbours.ts'
import { compareContest } from '../claim/order.ts'
import type { NetworkProfile } from '../profile/profile.ts'

/**
 * The claim to yield to: the lowest that came within the contest of a settling entry, is lower than its own, and has
 * enough holders. Enough is `witness_quorum` diverse peers, or all known where the profile limits no prefixes and fewer
 * are known. They witnessed it, which is as good as a handed-over C.
 */
export function claimToYieldTo(entry: Entry, facts: NeighbourFacts, profile: NetworkProfile): Agreed | undefined {
  const lower = (entry.contenders ?? []).filter((each) => compareContest(each, entry.claim) < 0)
  if (lower.length === 0) return undefined
  const { answers, known } = believed(ownSight(entry), facts)
  const held = heldOf(diverse(answers, profile))
  const quorum = Math.max(1, quorumOf(profile.witness_quorum, known, profile))
  const lowest = lower.find(({ id }) => held.filter(({ claimId }) => equalBytes(claimId, id)).length >= quorum)
  return lowest && { claimId: lowest.id, state: 'settling' }
}
