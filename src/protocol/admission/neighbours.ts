/** What the peers closest to K say of a name, and when their word is taken over ours. */
import { equalBytes } from '../encoding/bytes.ts'
import type { Origin } from '../neighbourhood/diversity.ts'
import { diverse } from '../neighbourhood/diversity.ts'
import { electorate, quorumOf } from '../neighbourhood/electorate.ts'
import type { EntryState } from './entry.ts'
import type { NetworkProfile } from '../profile/profile.ts'

/** One neighbour's answer to "what do you hold?"; `entry` is left out for nothing. */
export interface NeighbourAnswer extends Origin {
  /** The round in which this node met that peer first; left out where it is not known. */
  readonly met?: number
  readonly entry?: { readonly claimId: Uint8Array; readonly state: EntryState }
}

export interface NeighbourFacts {
  /** Closest first, ourselves not among them. Those that did not answer are left out. */
  readonly answers: readonly NeighbourAnswer[]
  /** Neighbours (diverse, ourselves not among them) that are known, whether they answered or not. */
  readonly known: number
}

/** A claim that the neighbourhood holds. `state`: `fresh` when most of its holders have it in contest. */
export interface Agreed {
  readonly claimId: Uint8Array
  readonly state: 'fresh' | 'settling'
}

/**
 * The answers that may talk a witness over: of peers that it had met before it saw C. Nobody knew the name then, so
 * that nobody had chosen ids near its key [a witness who is talked over]. The others count as not known. A node that is
 * no witness hears everybody.
 *
 * @param sight `ownSight` of its entry
 */
export function believed(sight: number | undefined, facts: NeighbourFacts): NeighbourFacts {
  if (sight === undefined) return facts
  const answers = facts.answers.filter(({ met }) => met !== undefined && met < sight)
  return { answers, known: facts.known - (facts.answers.length - answers.length) }
}

export interface Held {
  readonly claimId: Uint8Array
  readonly state: EntryState
}

/**
 * For a name we hold nothing (or only a provisional claim) of: the claim to adopt. `witness_quorum` diverse peers (all
 * that are known, where the profile limits no prefixes and fewer are) must answer with a non-provisional entry, and
 * more than half of those name one claim.
 */
export function claimToAdopt(facts: NeighbourFacts, profile: NetworkProfile): Agreed | undefined {
  const held = heldOf(diverse(facts.answers, profile))
  if (held.length === 0 || held.length < quorumOf(profile.witness_quorum, facts.known, profile)) return undefined
  return majorityOf(held, held.length)
}

/**
 * Whether `claimToAdopt` would say the same, whatever so many peers that were asked too may answer, late or never:
 * silent ones need not be waited for then [a neighbour that never answers]. Each answer counts for itself, and
 * may take the place of another of its prefix.
 */
export function isAdoptionDecided(facts: NeighbourFacts, awaited: number, profile: NetworkProfile): boolean {
  const needed = Math.max(1, quorumOf(profile.witness_quorum, facts.known, profile))
  if (heldOf(facts.answers).length + awaited < needed) return true
  const held = heldOf(diverse(facts.answers, profile))
  const agreed = majorityOf(held, held.length + 2 * awaited)
  if (agreed === undefined || held.length - awaited < needed) return false
  const states = held.flatMap(({ claimId, state }) => (equalBytes(claimId, agreed.claimId) ? [state] : []))
  const fresh = states.filter((state) => state === 'fresh').length
  return fresh * 2 > states.length + 2 * awaited || (fresh + awaited) * 2 <= states.length
}

/**
 * For a settling entry: the claim that more than half of those who should answer hold (k, where the profile limits
 * prefixes; else of at least `repair_quorum` answers, or of all that are known), when it is another one. Silence counts
 * for what is held: else few liars win whenever others are silent [newcomers who join among liars].
 *
 * @param sight `ownSight` of the entry
 */
export function claimToRepair(
  own: Uint8Array,
  facts: NeighbourFacts,
  profile: NetworkProfile,
  sight?: number
): Agreed | undefined {
  const heard = believed(sight, facts)
  const answers = diverse(heard.answers, profile)
  if (answers.length === 0 || answers.length < quorumOf(profile.repair_quorum, heard.known, profile)) return undefined
  const agreed = majorityOf(heldOf(answers), electorate(answers.length, profile))
  return agreed === undefined || equalBytes(agreed.claimId, own) ? undefined : agreed
}

/**
 * Whether enough have answered to tell what the neighbourhood holds: `repair_quorum` diverse peers or, where the
 * profile limits no prefixes, more than half of those known. Who knows of nobody cannot tell, but on a network of one
 * machine is the whole of it.
 */
export function isAnswered(facts: NeighbourFacts, profile: NetworkProfile): boolean {
  if (facts.known === 0) return profile.scope === 'loopback'
  return (
    diverse(facts.answers, profile).length >= quorumOf(profile.repair_quorum, Math.floor(facts.known / 2) + 1, profile)
  )
}

/**
 * Whether an entry whose time has come may settle: enough have answered, and neither more than half of those that are
 * believed nor as many of them as a node that holds nothing would follow name another claim.
 *
 * @param sight `ownSight` of the entry
 */
export function isUnopposed(own: Uint8Array, facts: NeighbourFacts, profile: NetworkProfile, sight?: number): boolean {
  if (!isAnswered(facts, profile)) return false
  const heard = believed(sight, facts)
  const answers = diverse(heard.answers, profile)
  const agreed = claimToAdopt(heard, profile) ?? majorityOf(heldOf(answers), answers.length)
  return agreed === undefined || equalBytes(agreed.claimId, own)
}

/**
 * Whether `claimToAdopt`, `claimToRepair` and `isUnopposed` would say the same, whatever so many peers that were asked
 * too may answer, late or never [a neighbour that never answers]. Each answer counts for itself, and may take the place
 * of another of its prefix.
 */
export function isRevisionDecided(
  own: Uint8Array,
  facts: NeighbourFacts,
  awaited: number,
  profile: NetworkProfile,
  sight?: number
): boolean {
  const heard = believed(sight, facts)
  if (!isAnswered(facts, profile) || !isAdoptionDecided(heard, awaited, profile)) return false
  const answers = diverse(heard.answers, profile)
  const others = heldOf(answers).filter(({ claimId }) => !equalBytes(claimId, own))
  const most = Math.max(
    0,
    ...others.map(({ claimId }) => others.filter((other) => equalBytes(other.claimId, claimId)).length)
  )
  const isOpposed = most * 2 > electorate(answers.length, profile) + 2 * awaited
  return isOpposed
    ? answers.length >= quorumOf(profile.repair_quorum, heard.known, profile)
    : (most + awaited) * 2 <= answers.length
}

/** What those who answered hold, provisional claims left out. */
export function heldOf(answers: readonly NeighbourAnswer[]): Held[] {
  return answers.flatMap(({ entry }) => (entry === undefined || entry.state === 'provisional' ? [] : [entry]))
}

/** The claim that more than half of `voters` hold. */
function majorityOf(held: readonly Held[], voters: number): Agreed | undefined {
  for (const { claimId } of held) {
    const holders = held.filter((other) => equalBytes(other.claimId, claimId))
    if (holders.length * 2 <= voters) continue
    const fresh = holders.filter(({ state }) => state === 'fresh').length
    return { claimId, state: fresh * 2 > holders.length ? 'fresh' : 'settling' }
  }
  return undefined
}
