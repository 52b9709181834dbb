/** What the peers closest to K say of a name, and when their word replaces ours. */
import { equalBytes } from '../encoding/bytes.ts'
import { type Origin, diverse, electorate, quorumOf } from '../neighbourhood/diversity.ts'
import { type EntryState, ownSight, type Entry } from './entry.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import type { ProtocolTime } from '../time.ts'
import { compareContest } from '../claim/claim.ts'
import type { ChangesHeld } from './key-changes.ts'

/** One neighbour's answer to "what do you hold?"; without `entry` it holds nothing. */
export interface NeighbourAnswer extends Origin {
  /** The round in which this node first met the peer; absent if unknown. */
  readonly met?: number
  readonly entry?: Held
}

export interface NeighbourFacts {
  /** Closest first, without this node and silent neighbours. */
  readonly answers: readonly NeighbourAnswer[]
  /** Known diverse neighbours, silent ones included, without this node. */
  readonly known: number
}

/** The neighbourhood's claim. `state`: `fresh` when most of its holders have it in contest. */
export interface Agreed {
  readonly claimId: Uint8Array
  readonly state: 'fresh' | 'settling'
}

/**
 * The answers that may outvote a witness: of peers that it met before it saw C. At that time the name was unknown, so
 * no ids were chosen near its key [a witness who is talked over]. Other peers count as unknown. A node that is no
 * witness asks all.
 *
 * @param sight `ownSight` of its entry
 */
export function believed(sight: number | undefined, facts: NeighbourFacts): NeighbourFacts {
  if (sight === undefined) return facts
  const answers = facts.answers.filter(({ met }) => met !== undefined && met < sight)
  return { answers, known: facts.known - (facts.answers.length - answers.length) }
}

/**
 * Rounds before which a peer must have been met to count among the long-known, the earliest first. A claim that the
 * neighbourhood holds is there for longer than a registration takes, and so are peers that hold it.
 *
 * @param seen s of the offered claim, where this node stored its C itself
 */
export function roundsOfAcquaintance(
  { now }: Pick<ProtocolTime, 'now'>,
  seen: number | undefined,
  { provisional_settle, settle }: Pick<NetworkProfile, 'provisional_settle' | 'settle'>
): number[] {
  return [now - provisional_settle, now - settle, ...(seen === undefined ? [] : [seen])].sort(
    (left, right) => left - right
  )
}

/**
 * The answers that a node without an entry counts: those of peers met before the first of these rounds before which it met
 * `repair_quorum` of those that answer. Ids that come once a name is sought then show it nothing. Where the node has
 * known too few for long, it counts all.
 */
export function longKnown(facts: NeighbourFacts, rounds: readonly number[], profile: NetworkProfile): NeighbourFacts {
  for (const round of rounds) {
    const heard = believed(round, facts)
    if (missingToHear(heard, facts, profile) <= 0) return heard
  }
  return facts
}

/** How many more of these must answer before they count alone. */
function missingToHear(heard: NeighbourFacts, { known }: NeighbourFacts, profile: NetworkProfile): number {
  return Math.max(1, quorumOf(profile.repair_quorum, known, profile)) - diverse(heard.answers, profile).length
}

export interface Held {
  readonly claimId: Uint8Array
  readonly state: EntryState
  /** Of its keys; absent without any. */
  readonly changes?: ChangesHeld | undefined
  /** The changes of the notice beside it. */
  readonly notice?: ChangesHeld | undefined
}

/**
 * The claim to adopt for a name without an entry, or with a provisional one. `witness_quorum` diverse peers must answer
 * with a non-provisional entry, and more than half of those must name one claim. Where the profile limits no prefixes,
 * all known peers suffice if they are fewer.
 */
export function claimToAdopt(facts: NeighbourFacts, profile: NetworkProfile): Agreed | undefined {
  const held = heldOf(diverse(facts.answers, profile))
  if (held.length === 0 || held.length < quorumOf(profile.witness_quorum, facts.known, profile)) return undefined
  return majorityOf(held, held.length)
}

/**
 * Whether no possible late answers can change `claimToAdopt` of `longKnown`, so that silent peers need no wait [a
 * neighbour that never answers]. Each late answer counts for itself and may displace another of its prefix.
 */
export function isAdoptionDecided(
  facts: NeighbourFacts,
  awaited: number,
  profile: NetworkProfile,
  rounds: readonly number[] = []
): boolean {
  const possible = possiblyHeard(facts, awaited, profile, rounds)
  const [first, ...others] = possible.map((heard) => claimToAdopt(heard, profile))
  return (
    possible.every((heard) => isMajorityDecided(heard, awaited, profile)) &&
    others.every((agreed) => isSame(first, agreed))
  )
}

/** What `longKnown` may give once the others have answered, or have not. */
function possiblyHeard(
  facts: NeighbourFacts,
  awaited: number,
  profile: NetworkProfile,
  rounds: readonly number[]
): NeighbourFacts[] {
  const possible: NeighbourFacts[] = []
  for (const round of rounds) {
    const heard = believed(round, facts)
    const missing = missingToHear(heard, facts, profile)
    if (missing <= awaited) possible.push(heard)
    if (missing + awaited <= 0) return possible
  }
  return [...possible, facts]
}

function isSame(left: Agreed | undefined, right: Agreed | undefined): boolean {
  if (left === undefined || right === undefined) return left === right
  return equalBytes(left.claimId, right.claimId) && left.state === right.state
}

function isMajorityDecided(facts: NeighbourFacts, awaited: number, profile: NetworkProfile): boolean {
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
 * For a settling entry: another claim, held by more than half of those that should answer. They are k where the profile
 * limits prefixes. Elsewhere they are those that answer, if at least `repair_quorum` or all known do. Silence counts
 * for the held claim: otherwise few liars win while others are silent [newcomers who join among liars].
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
 * Whether enough answered to know what the neighbourhood holds: `repair_quorum` diverse peers. Where the profile limits
 * no prefixes, more than half of those known. With none known it is unknown, except on a loopback network, where a
 * single node is all.
 */
export function isAnswered(facts: NeighbourFacts, profile: NetworkProfile): boolean {
  if (facts.known === 0) return profile.scope === 'loopback'
  return (
    diverse(facts.answers, profile).length >= quorumOf(profile.repair_quorum, Math.floor(facts.known / 2) + 1, profile)
  )
}

/**
 * Whether a ripe entry may settle. Enough have answered, and no other claim has more than half of the believed answers,
 * or enough for a node without an entry to adopt it.
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
 * Whether no possible late answers can change `claimToAdopt`, `claimToRepair` and `isUnopposed` [a neighbour that never
 * answers]. Each late answer counts for itself and may displace another of its prefix.
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

function heldOf(answers: readonly NeighbourAnswer[]): Held[] {
  return answers.flatMap(({ entry }) => (entry === undefined || entry.state === 'provisional' ? [] : [entry]))
}

function majorityOf(held: readonly Held[], voters: number): Agreed | undefined {
  for (const { claimId } of held) {
    const holders = held.filter((other) => equalBytes(other.claimId, claimId))
    if (holders.length * 2 <= voters) continue
    const fresh = holders.filter(({ state }) => state === 'fresh').length
    return { claimId, state: fresh * 2 > holders.length ? 'fresh' : 'settling' }
  }
  return undefined
}

/**
 * The round before which nobody could choose ids near the name of an entry's claim. Without a sight of this node's own it
 * is p, which the witnesses among its neighbours vouch for: a slow owner's holders are mostly newcomers, and ids that
 * come after the reveal would make them yield [an unseen claim in a slow contest].
 */
function unknownUntil(entry: Entry): number {
  return ownSight(entry) ?? Math.min(entry.claim.firstRound, entry.tenureRound)
}

/**
 * The claim to yield to: the lowest that came within the contest of a settling entry, is lower than its own, and has
 * enough holders. Enough is `witness_quorum` diverse peers, or all known where the profile limits no prefixes and fewer
 * are known. They witnessed it, which is as good as a handed-over C. Only peers count that this node met before anybody
 * could know the name.
 */
export function claimToYieldTo(entry: Entry, facts: NeighbourFacts, profile: NetworkProfile): Agreed | undefined {
  const lower = (entry.contenders ?? []).filter((each) => compareContest(each, entry.claim) < 0)
  if (lower.length === 0) return undefined
  const { answers, known } = believed(unknownUntil(entry), facts)
  const held = heldOf(diverse(answers, profile))
  const quorum = Math.max(1, quorumOf(profile.witness_quorum, known, profile))
  const lowest = lower.find(({ id }) => held.filter(({ claimId }) => equalBytes(claimId, id)).length >= quorum)
  return lowest && { claimId: lowest.id, state: 'settling' }
}
