import { compareBytes, equalBytes, toHex } from '../encoding/bytes.ts'
import { type Claim, compareRecords } from '../claim/claim.ts'
import { type Origin, diverse, electorate } from '../neighbourhood/diversity.ts'
import type { EntryState } from '../admission/entry.ts'
import { leaseState } from '../time.ts'
import type { NetworkProfile } from '../profile/profile.ts'

/** One peer's answer; without `held` it is "none". The claim is of a record verified here. */
export interface ResolveAnswer extends Origin {
  readonly held?: { readonly claim: Claim; readonly state: EntryState }
}

export interface Asking {
  /** Diverse peers found to be asked; where the profile limits prefixes, at least k should exist. */
  readonly asked: number
  /** No more answers will come. */
  readonly done: boolean
}

export interface Candidate {
  readonly pubkey: Uint8Array
  readonly votes: number
  readonly settledVotes: number
  /** The newest record of that owner's claim, from any responder. A claim by a stolen key has votes of its own. */
  readonly newest: Claim
}

/** Which rule decided: for `explain`. */
export type TallyRule = 'majority' | 'provisional-only' | 'no-majority' | 'nobody-holds-it' | 'answers-outstanding'

export type Tally =
  | {
      readonly kind: 'owner'
      readonly rule: 'majority' | 'provisional-only'
      readonly owner: Candidate
      /** Votes that counted. */
      readonly of: number
      /** No state but provisional answered. */
      readonly provisional: boolean
      /** At most half of the electorate agrees: cached for 60 s only, and no sighting of its owner. */
      readonly thin: boolean
      /** More than half of the owner's votes hold it as settled: pins require this, and that it is not thin. */
      readonly settled: boolean
    }
  | {
      readonly kind: 'none'
      readonly rule: 'nobody-holds-it'
      readonly answered: number
      /** At most half of the electorate says so: those who are silent may hold it. */
      readonly thin: boolean
    }
  | { readonly kind: 'contested'; readonly rule: 'no-majority'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'undecided'; readonly rule: 'answers-outstanding' }

/**
 * Votes without those for claims whose lease and grace have ended by the newest record shown: they count as "none" while
 * somebody shows a live claim. A former owner has a dead one for nothing.
 *
 * @param lapse the round by which leases end
 */
export function withoutDead(
  answers: readonly ResolveAnswer[],
  lapse: number,
  profile: NetworkProfile
): readonly ResolveAnswer[] {
  const newest = new Map<string, number>()
  for (const { held } of answers) {
    if (held === undefined) continue
    const id = toHex(held.claim.id)
    newest.set(id, Math.max(held.claim.newestRound, newest.get(id) ?? 0))
  }
  const live = new Set(
    [...newest].flatMap(([id, round]) => (leaseState(round, lapse, profile).state === 'dead' ? [] : [id]))
  )
  if (live.size === 0) return answers
  return answers.map((answer) => {
    const { held, ...origin } = answer
    return held === undefined || live.has(toHex(held.claim.id)) ? answer : origin
  })
}

/**
 * The voting rule. One vote a peer; provisional entries and "none" have no vote while any other state answers. The
 * owner with more than half wins.
 * Decides early, once more than half of the electorate agrees; otherwise `undecided` until `done`.
 */
export function tally(answers: readonly ResolveAnswer[], asking: Asking, profile: NetworkProfile): Tally {
  const counted = diverse(answers, profile)
  const firm = counted.filter(({ held }) => held !== undefined && held.state !== 'provisional')
  const of = electorate(asking.asked, profile)
  const early = candidatesOf(firm, answers).find(({ votes }) => votes * 2 > of)
  if (early === undefined && !asking.done) return { kind: 'undecided', rule: 'answers-outstanding' }

  const provisional = firm.length === 0
  const voters = provisional ? counted.filter(({ held }) => held !== undefined) : firm
  if (voters.length === 0)
    return { kind: 'none', rule: 'nobody-holds-it', answered: counted.length, thin: counted.length * 2 <= of }
  const candidates = candidatesOf(voters, answers)
  const owner = early ?? candidates.find(({ votes }) => votes * 2 > voters.length)
  if (owner === undefined) return { kind: 'contested', rule: 'no-majority', candidates }
  return {
    kind: 'owner',
    rule: provisional ? 'provisional-only' : 'majority',
    owner,
    of: voters.length,
    provisional,
    thin: owner.votes * 2 <= of,
    settled: owner.settledVotes * 2 > owner.votes
  }
}

/** Every owner among the voters, one for each claim, most votes first, with the newest record of all answers. */
function candidatesOf(voters: readonly ResolveAnswer[], answers: readonly ResolveAnswer[]): Candidate[] {
  const byClaim = new Map<string, { id: Uint8Array; pubkey: Uint8Array; votes: number; settledVotes: number }>()
  for (const { held } of voters) {
    if (held === undefined) continue
    const key = toHex(held.claim.id)
    const owner = byClaim.get(key) ?? { id: held.claim.id, pubkey: held.claim.pubkey, votes: 0, settledVotes: 0 }
    owner.votes++
    if (held.state === 'settled') owner.settledVotes++
    byClaim.set(key, owner)
  }
  return [...byClaim.values()]
    .map(({ id, ...owner }) => ({ ...owner, newest: newestOf(id, answers) }))
    .sort(
      (left, right) =>
        right.votes - left.votes ||
        compareBytes(left.pubkey, right.pubkey) ||
        compareBytes(left.newest.id, right.newest.id)
    )
}

function newestOf(id: Uint8Array, answers: readonly ResolveAnswer[]): Claim {
  const claims = answers.flatMap(({ held }) =>
    held !== undefined && equalBytes(held.claim.id, id) ? [held.claim] : []
  )
  return claims.reduce((newest, claim) => (compareRecords(claim, newest) > 0 ? claim : newest))
}
