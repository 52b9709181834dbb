import { compareBytes, equalBytes, toHex } from '../encoding/bytes.ts'
import { relateChanges } from '../claim/changes.ts'
import { type Claim, compareRecords } from '../claim/claim.ts'
import { type Origin, diverse, electorate } from '../neighbourhood/diversity.ts'
import type { EntryState } from '../admission/entry.ts'
import { leaseState } from '../time.ts'
import type { NetworkProfile } from '../profile/profile.ts'

/** One peer's answer; without `held` it is "none". The claim is of a record verified here. */
export interface ResolveAnswer extends Origin {
  readonly held?: {
    readonly claim: Claim
    readonly state: EntryState
    /** Whether the peer says that all changes of the claim's keys are final; absent without any. */
    readonly final?: boolean
  }
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
  /** Votes that hold the changes of that record and call them final; all where there are none. */
  readonly finalVotes: number
  /** These are more than half. */
  readonly final: boolean
}

/** Which rule decided: for `explain`. */
export type TallyRule =
  | 'majority'
  | 'provisional-only'
  | 'provisional-majority'
  | 'no-majority'
  | 'parted'
  | 'nobody-holds-it'
  | 'answers-outstanding'

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
  | {
      readonly kind: 'contested'
      /**
       * `parted`: one claim has most votes, but no branch of the changes of its keys has. `provisional-majority`: few name
       * an owner, and most of the electorate hold one other claim that is provisional.
       */
      readonly rule: 'no-majority' | 'provisional-majority' | 'parted'
      readonly candidates: readonly Candidate[]
    }
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
 * owner with more than half wins, unless more than half of the electorate hold another claim: one id could otherwise
 * outvote all holders of a claim that has not settled [a lone vote against a provisional claim].
 * Decides early, once more than half of the electorate agrees; otherwise `undecided` until `done`.
 */
export function tally(answers: readonly ResolveAnswer[], asking: Asking, profile: NetworkProfile): Tally {
  const counted = diverse(answers, profile)
  const firm = counted.filter(({ held }) => held !== undefined && held.state !== 'provisional')
  const of = electorate(asking.asked, profile)
  const early = candidatesOf(firm, answers).find(({ votes, branches }) => votes * 2 > of && branches === undefined)
  if (early === undefined && !asking.done) return { kind: 'undecided', rule: 'answers-outstanding' }

  const provisional = firm.length === 0
  const voters = provisional ? counted.filter(({ held }) => held !== undefined) : firm
  if (voters.length === 0)
    return { kind: 'none', rule: 'nobody-holds-it', answered: counted.length, thin: counted.length * 2 <= of }
  const candidates = candidatesOf(voters, answers)
  const owner = early ?? candidates.find(({ votes }) => votes * 2 > voters.length)
  if (owner === undefined) return { kind: 'contested', rule: 'no-majority', candidates }
  if (owner.branches !== undefined) return { kind: 'contested', rule: 'parted', candidates: owner.branches }
  const held = candidatesOf(counted, answers)
  if (held.some(({ votes, newest }) => votes * 2 > of && !equalBytes(newest.id, owner.newest.id)))
    return { kind: 'contested', rule: 'provisional-majority', candidates: held }
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

interface Counted extends Candidate {
  /** Where the changes of its keys part, and no branch has more than half of its votes. */
  readonly branches?: readonly Candidate[]
}

/** Every owner among the voters, one for each claim, most votes first, with the newest record of all answers. */
function candidatesOf(voters: readonly ResolveAnswer[], answers: readonly ResolveAnswer[]): Counted[] {
  const held = voters.flatMap((voter) => voter.held ?? [])
  return [...Map.groupBy(held, ({ claim }) => toHex(claim.id)).values()]
    .map((votes) => candidateOf(votes, answers))
    .sort(
      (left, right) =>
        right.votes - left.votes ||
        compareBytes(left.pubkey, right.pubkey) ||
        compareBytes(left.newest.id, right.newest.id)
    )
}

type Vote = NonNullable<ResolveAnswer['held']>

function candidateOf(votes: readonly Vote[], answers: readonly ResolveAnswer[]): Counted {
  const { id } = votes[0]!.claim
  const shown = answers.flatMap(({ held }) => (held !== undefined && equalBytes(held.claim.id, id) ? [held.claim] : []))
  const [newest, ...others] = newestOf(
    shown,
    votes.map(({ claim }) => claim)
  )
  const candidate = (record: Claim, of: readonly Vote[]): Candidate => {
    const isFinal = (vote: Vote): boolean => vote.final === true && isSameBranch(vote.claim, record)
    const finalVotes = record.changes.length === 0 ? of.length : of.filter(isFinal).length
    return {
      pubkey: record.pubkey,
      votes: of.length,
      settledVotes: of.filter(({ state }) => state === 'settled').length,
      newest: record,
      finalVotes,
      final: finalVotes * 2 > of.length
    }
  }
  if (others.length === 0) return candidate(newest, votes)
  const branches = [newest, ...others].map((tip) =>
    candidate(
      tip,
      votes.filter(({ claim }) => isSameBranch(claim, tip))
    )
  )
  return { ...candidate(newest, votes), branches }
}

function isSameBranch(left: Claim, right: Claim): boolean {
  return relateChanges(left.changes, right.changes) === 'same'
}

/**
 * Whether more than half of the votes serve the last change of this record that has one signature. Otherwise it is a
 * notice that one peer serves, and the record before it counts [a thief of the change words].
 */
function isServedByMost({ changes }: Claim, votes: readonly Claim[]): boolean {
  const alone = changes.findLastIndex(({ consented }) => !consented)
  if (alone === -1) return true
  const serving = votes.filter((vote) => {
    const held = vote.changes[alone]
    return held !== undefined && equalBytes(held.hash, changes[alone]!.hash)
  })
  return serving.length * 2 > votes.length
}

/**
 * The newest of the records of one claim that count. Where the changes of its keys part, the newest of the branch that more than
 * half of the votes hold, or the newest from before they part, if as many hold none of them; otherwise the newest of each
 * branch [a name sold twice]. So two ids with a change key make no name contested.
 */
export function newestOf(all: readonly Claim[], votes: readonly Claim[]): readonly [Claim, ...Claim[]] {
  const served = all.filter((record) => isServedByMost(record, votes))
  const shown = served.length === 0 ? all : served
  const newest = (records: readonly Claim[]): Claim =>
    records.reduce((best, record) => (compareRecords(record, best) > 0 ? record : best))
  const tips = tipsOf(shown)
  if (tips.length < 2) return [newest(shown)]
  const isOn = (claim: Claim, tip: Claim): boolean => typeof relateChanges(claim.changes, tip.changes) !== 'number'
  const isBefore = (claim: Claim): boolean => tips.every((tip) => isOn(claim, tip))
  if (votes.filter(isBefore).length * 2 > votes.length) return [newest(shown.filter(isBefore))]
  const [first, ...branches] = tips.map((tip) => newest(shown.filter((claim) => isOn(claim, tip))))
  const chosen = [first!, ...branches].find(
    (branch) => votes.filter((vote) => isOn(vote, branch) && !isBefore(vote)).length * 2 > votes.length
  )
  return chosen === undefined ? [first!, ...branches] : [chosen]
}

/** One record for each way in which the changes of keys end. */
function tipsOf(shown: readonly Claim[]): Claim[] {
  const longestFirst = shown.toSorted((left, right) => right.changes.length - left.changes.length)
  const tips: Claim[] = []
  for (const claim of longestFirst)
    if (tips.every((tip) => typeof relateChanges(tip.changes, claim.changes) === 'number')) tips.push(claim)
  return tips
}
