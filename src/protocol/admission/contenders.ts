/**
 * Two claims that came at the same time, each witnessed by a part of the neighbourhood. The order of contests decides
 * between them afterwards too: few liars, who tell each part what it holds, would else keep both [liars who keep a
 * contest divided].
 */
import { equalBytes } from '../encoding/bytes.ts'
import { diverse } from '../neighbourhood/diversity.ts'
import { quorumOf } from '../neighbourhood/electorate.ts'
import { ownSight, type Entry } from './entry.ts'
import { believed, heldOf, type Agreed, type NeighbourFacts } from './neighbours.ts'
import { compareContest } from '../claim/order.ts'
import type { NetworkProfile } from '../profile/profile.ts'

/**
 * The lowest claim that came within the contest of a settling entry, is lower than its own, and is held by
 * `witness_quorum` diverse peers (all that are known, where the profile limits no prefixes and fewer are). These have
 * witnessed it, which is as good as if they had handed C over in time.
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
