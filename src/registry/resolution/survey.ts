/** Asks the network who owns a name, and decides the answers by the protocol's rule. */
import {
  OfflineError,
  type LookupBreadth,
  type Network,
  type RevealAnswer,
  type RevealLookup
} from '../../network/types.ts'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { checkCodeOf } from '../../protocol/claim/check-code.ts'
import type { Claim } from '../../protocol/claim/claim.ts'
import { electorate } from '../../protocol/neighbourhood/electorate.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { rulePin, type Ruled } from '../../protocol/resolution/pin.ts'
import { tally, withoutDead, type ResolveAnswer } from '../../protocol/resolution/quorum.ts'
import type { Reveal } from '../../protocol/claim/reveal.ts'
import type { RegistryContext } from '../context.ts'

/** Whose network tells of itself. */
interface Connected {
  readonly network: Pick<Network, 'status'>
}

export interface Survey extends RevealLookup {
  readonly name: Name
  readonly counted: readonly RevealAnswer[]
  /** How many of the peers asked could have a vote, and how many must agree for an answer that is not thin. */
  readonly quorum: { readonly found: number; readonly needed: number }
  /** Held against what was seen of the name before. */
  readonly tally: Ruled
}

/**
 * Asks who owns a name and remembers an owner that most peers call settled. Rejects with OfflineError when there was
 * nobody to ask.
 */
export async function survey(
  context: RegistryContext,
  name: Name,
  signal?: AbortSignal,
  breadth?: LookupBreadth
): Promise<Survey> {
  const found = weigh(context, name, await context.network.getReveals(name, signal, breadth), breadth === 'everybody')
  // A node's own store tells what it holds. Whether others hold more, the node knows only where it is the whole
  // network.
  if (found.tally.kind === 'none' && isUnconfirmed(context, found)) throw nobodyAnswered(context)
  return found
}

/** The Reveal that a claim of this survey sums up. */
export function revealOf({ answers }: Survey, { recordHash }: Claim): Reveal {
  const found = answers.find(({ claim }) => claim !== undefined && equalBytes(claim.recordHash, recordHash))
  if (found?.reveal === undefined) throw new Error('a claim without the record it was made from')
  return found.reveal
}

/** Whether nobody answered but this node's own store, and there are others. That is no sighting. */
export function isUnconfirmed(context: Connected, { answers }: Pick<RevealLookup, 'answers'>): boolean {
  return answers.every(({ self }) => self) && !isWholeNetwork(context)
}

function weigh(context: RegistryContext, name: Name, lookup: RevealLookup, isSecondLook: boolean): Survey {
  const { profile, pins } = context
  const { answers, asked, silent } = lookup
  const voters = votersAmong(context, name, answers)
  if (voters.length === 0) throw nobodyAnswered(context)
  const time = context.time()
  const votes = withoutDead(
    voters.map((voter) => asVote(voter, answers)),
    time.lapse,
    profile
  )
  const toAsk = Math.max(voters.length, asked - (answers.length - voters.length))
  const voted = tally(votes, { asked: toAsk, done: true }, profile)
  const quorum = { found: voters.length + silent.length, needed: Math.floor(electorate(toAsk, profile) / 2) + 1 }
  const former = pins.get(name)
  const { result, pin } = rulePin(voted, former, { time, isSecondLook, spread: context.random() }, profile)
  const isFormer = former !== undefined && pin !== undefined && equalBytes(former.claim, pin.claim)
  if (!isUnconfirmed(context, lookup))
    pins.set(name, pin && { ...pin, code: isFormer ? former.code : codeOf(pin.claim, answers, profile) })
  if (pin?.state === 'tentative' && pin.rival !== undefined && !isFormer) {
    context.log.warn(
      { name },
      'most peers name another owner than shortly before: this name is contested ' +
        'until one of them has stayed. `chronym explain` shows both'
    )
    pins.onDispute(name)
  }
  const held = voters.filter((_, index) => votes[index]!.held !== undefined)
  const firm = held.filter(({ state }) => state !== 'provisional')
  return { ...lookup, name, counted: firm.length > 0 ? firm : held, quorum, tally: result }
}

/** The check code of a claim that some answer proves. */
function codeOf(claimId: Uint8Array, answers: readonly RevealAnswer[], profile: NetworkProfile): string {
  const proof = answers.find(({ claim }) => claim !== undefined && equalBytes(claim.id, claimId))
  return checkCodeOf(proof!.reveal!, profile)
}

/**
 * Who has a vote: everybody, except this daemon for its own names. A lone node asks itself, unless the network is
 * public.
 */
function votersAmong(context: RegistryContext, name: Name, answers: readonly RevealAnswer[]): readonly RevealAnswer[] {
  const others = answers.filter(({ self }) => !self)
  if (others.length === 0) return context.profile.scope === 'public' ? [] : answers
  return context.owned.get(name) === undefined ? answers : others
}

/** A peer that keeps only the stub votes for the claim that another answer proves. An unproven claim is no answer. */
function asVote({ peer, state, claimId, claim }: RevealAnswer, answers: readonly RevealAnswer[]): ResolveAnswer {
  const proved =
    claim ??
    answers.find((other) => other.claim !== undefined && claimId !== undefined && equalBytes(other.claim.id, claimId))
      ?.claim
  // The network has applied the limit on answers of one prefix already: here each peer counts singly.
  const origin = { peer, prefix: peer }
  return proved === undefined || state === 'none' ? origin : { ...origin, held: { claim: proved, state } }
}

/** The one node of a network of one machine, which has no bootstrap peers. */
export function isWholeNetwork({ network }: Connected): boolean {
  const { status, peers } = network.status()
  return status === 'online' && peers === 0
}

export function nobodyAnswered({ network }: Connected): OfflineError {
  const { mode, peers } = network.status()
  return new OfflineError(
    `none of the peers asked gave an answer (mode ${mode}, ${peers} connected); check the connection and p2p.bootstrap`
  )
}
