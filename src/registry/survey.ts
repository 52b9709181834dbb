/** Asking the network who owns a name, and what the answers come to by the protocol's rule. */
import { OfflineError, type RevealAnswer, type RevealLookup } from '../network/types.ts'
import { claimOf, type Claim } from '../protocol/claim.ts'
import type { Name } from '../protocol/names.ts'
import { applyPin, nextPin, tally, type ResolveAnswer, type Tally } from '../protocol/quorum.ts'
import { linksOf, type Reveal } from '../protocol/reveal.ts'
import type { RegistryContext } from './context.ts'

export interface Survey {
  readonly name: Name
  readonly answers: readonly SurveyAnswer[]
  readonly tally: Tally
}

export interface SurveyAnswer {
  readonly answer: RevealAnswer
  readonly claim: Claim | undefined
}

/** Asks who owns a name and remembers a settled owner. Rejects with OfflineError when nobody could be asked. */
export async function survey(context: RegistryContext, name: Name, signal?: AbortSignal): Promise<Survey> {
  const found = weigh(context, name, await context.network.getReveals(name, signal))
  // Alone, a node knows what it holds; of what it does not hold nobody could be asked.
  if (found.tally.kind === 'none' && found.answers.every(({ answer }) => answer.self)) throw nobodyAnswered()
  return found
}

/** As {@link survey}, without showing the network which name is meant. */
export async function probe(context: RegistryContext, name: Name, signal?: AbortSignal): Promise<Survey> {
  return weigh(context, name, await context.network.probe(name, signal))
}

/** The Reveal that a claim of this survey sums up. */
export function revealOf({ answers }: Survey, claim: Claim): Reveal {
  const found = answers.find((candidate) => candidate.claim !== undefined && Buffer.compare(candidate.claim.recordHash, claim.recordHash) === 0)
  if (found?.answer.reveal === undefined) throw new Error('a claim without the record it was made from')
  return found.answer.reveal
}

function weigh(context: RegistryContext, name: Name, lookup: RevealLookup): Survey {
  const { profile, memory } = context
  const answers = lookup.answers.map((answer) => ({ answer, claim: claimIn(context, name, answer) }))
  const voters = votersAmong(context, name, answers)
  if (voters.length === 0) throw nobodyAnswered()
  const { lapse } = context.time()
  const pin = memory.pin(name)
  // The network has applied the limit on answers of one prefix already: here each peer stands for itself.
  const asking = { asked: Math.max(voters.length, lookup.asked), done: true }
  const ruled = applyPin(tally(voters.map(asVote), asking, profile), pin, lapse, profile)
  memory.setPin(name, nextPin(ruled, pin, lapse, profile))
  return { name, answers, tally: ruled }
}

/** Who has a vote: everybody, but ourselves for names we own. A node that is alone asks itself, where the network is no public one. */
function votersAmong(context: RegistryContext, name: Name, answers: readonly SurveyAnswer[]): readonly SurveyAnswer[] {
  const others = answers.filter(({ answer }) => !answer.self)
  if (others.length === 0) return context.profile.scope === 'public' ? [] : answers
  return context.owned.get(name) === undefined ? answers : others
}

function nobodyAnswered(): OfflineError {
  return new OfflineError('No peer answered.')
}

function asVote({ answer, claim }: SurveyAnswer): ResolveAnswer {
  const origin = { peer: answer.peer, prefix: answer.peer }
  return claim === undefined || answer.state === 'none' ? origin : { ...origin, held: { claim, state: answer.state } }
}

function claimIn({ profile }: RegistryContext, name: Name, { reveal }: RevealAnswer): Claim | undefined {
  return reveal === undefined ? undefined : claimOf(reveal, name, linksOf(reveal), profile)
}
