/** Who owns a name: the network's word by the protocol's rule, and this daemon's own where nobody answers. */
import {
  OfflineError,
  type LookupBreadth,
  type Network,
  type RevealAnswer,
  type RevealLookup
} from '../../network/types.ts'
import { ServiceError } from '../../errors.ts'
import { equalBytes, toHex } from '../../protocol/encoding/bytes.ts'
import { checkCodeOf } from '../../protocol/claim/check-code.ts'
import { type Claim, claimOf } from '../../protocol/claim/claim.ts'
import { electorate } from '../../protocol/neighbourhood/diversity.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { rulePin, type Ruled, isContested, livePin, isRollback } from '../../protocol/resolution/pin.ts'
import { noticeAmong, type NoticeSeen } from '../../protocol/resolution/notice.ts'
import { tally, withoutDead, type ResolveAnswer } from '../../protocol/resolution/quorum.ts'
import type { Reveal } from '../../protocol/claim/reveal.ts'
import { roundTimeMs } from '../../protocol/time.ts'
import { type RegistryContext, leaseOf, roundTime } from '../context.ts'
import { isCancelled, isGone, isHeldAsOurs } from '../stored/owned-names.ts'
import { keys } from '../../store/keys.ts'
import type { ResolvedName } from '../use-cases.ts'
import type { ClaimTasks } from '../tasks.ts'

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
  /** The notice that most peers of the owner hold beside the record that they serve. */
  readonly notice: NoticeSeen | undefined
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
  const lookup = await context.network.getReveals(name, signal, breadth)
  const hasAskedAll =
    breadth === 'everybody' || (breadth === 'punctual' && lookup.silent.every(({ reason }) => reason !== 'late'))
  const found = weigh(context, name, lookup, hasAskedAll)
  // A node's own store tells what it holds. Whether others hold more, the node knows only where it is the whole
  // network.
  if (found.tally.kind === 'none' && isUnconfirmed(context, found)) throw nobodyAnswered(context)
  return found
}

/** The notice that more than half of `votes` hold beside a record. */
export function noticeIn(answers: readonly RevealAnswer[], served: Claim, votes: number): NoticeSeen | undefined {
  const told = answers.flatMap(({ notice }) => (notice ? [{ claim: notice.claim, final: notice.changes.final }] : []))
  return noticeAmong(served, told, votes)
}

/** The Reveal that a claim of this survey sums up. */
export function revealOf({ answers }: Survey, { recordHash }: Claim): Reveal {
  const shown = answers.flatMap((answer) => [answer, ...(answer.notice ? [answer.notice] : [])])
  const found = shown.find(({ claim }) => claim !== undefined && equalBytes(claim.recordHash, recordHash))
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
    voters.map((voter) => asVote(voter, answers, time.verified)),
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
  const counted = firm.length === 0 || voted.rule === 'provisional-majority' ? held : firm
  const notice = result.kind === 'owner' ? noticeIn(counted, result.owner.newest, result.owner.votes) : undefined
  return { ...lookup, name, counted, quorum, tally: result, notice }
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

/** A peer that keeps only the stub votes for the claim that another answer proves. An unproven claim is not an answer. */
function asVote(
  { peer, state, claimId, claim, changes }: RevealAnswer,
  answers: readonly RevealAnswer[],
  verified: number
): ResolveAnswer {
  const others = answers.flatMap((other) =>
    other.claim !== undefined && claimId !== undefined && equalBytes(other.claim.id, claimId) ? [other.claim] : []
  )
  // A stub says which changes it holds, where other answers prove several.
  const proved = claim ?? others.find((other) => hasHead(other, changes?.head)) ?? others[0]
  // The network has applied the limit on answers of one prefix already: here each peer counts singly.
  const origin = { peer, prefix: peer }
  if (proved === undefined || state === 'none') return origin
  return { ...origin, held: { claim: proved, state, ...(saysFinal(changes, proved, verified) && { final: true }) } }
}

/** Whether a peer holds these changes of the claim's keys, and calls them final. */
export function saysFinal(said: RevealAnswer['changes'], claim: Claim, verified: number): boolean {
  return said !== undefined && claim.changes.length > 0 && hasHead(claim, said.head) && said.final < verified
}

/** Whether the last change of the claim's keys is that one; undefined: none. */
function hasHead({ changes }: Claim, head: Uint8Array | undefined): boolean {
  const last = changes.at(-1)?.hash
  return last === undefined || head === undefined ? last === head : equalBytes(last, head)
}

/** The one node of a network of one machine, which has no bootstrap peers. */
export function isWholeNetwork({ network }: Connected): boolean {
  const { status, peers } = network.status()
  return status === 'online' && peers === 0
}

/** The last moment of a Date, which a round that a peer names may pass. */
const LAST_MS = 8.64e15

/** When more than half of the votes call the last change final, by what their peers say. */
export function finalAt({ counted }: Survey, claim: Claim, votes: number, { beacon }: NetworkProfile): string | null {
  const times = counted
    .flatMap(({ changes }) => (changes !== undefined && hasHead(claim, changes.head) ? [changes.final + 1] : []))
    .map((round) => roundTimeMs(round, beacon))
    .sort((left, right) => left - right)
  const at = times[Math.floor(votes / 2)]
  return at === undefined || at > LAST_MS ? null : new Date(at).toISOString()
}

export function nobodyAnswered({ network }: Connected): OfflineError {
  const { mode, peers } = network.status()
  return new OfflineError(
    peers > 0
      ? `no peer answers over the open connections (${peers}): the line may stall, or be down`
      : `none of the peers asked gave an answer (mode ${mode}, none connected); check the connection and p2p.bootstrap`
  )
}

/**
 * The record of our own name, else the one that this node holds for others, while its lease runs. Undefined without
 * one, and where anything known speaks against it: a pin of another owner, a contest, a newer record seen, another key
 * on which the peers have settled. It is `thin`, and nothing is pinned by it: cutting the line gains no belief.
 */
export function answerAlone(context: RegistryContext, name: Name): ResolvedName | undefined {
  const found = ownRecord(context, name) ?? heldRecord(context, name)
  if (found === undefined || !isUndisputed(context, name, found.claim)) return undefined
  return {
    reveal: found.reveal,
    checkCode: checkCodeOf(found.reveal, context.profile),
    confidence: 'thin',
    source: found.source
  }
}

interface Found {
  readonly reveal: Reveal
  readonly claim: Claim
  readonly source: 'own' | 'held'
}

/** Once most of its peers held it, and not while they name another key. */
function ownRecord({ owned, profile }: RegistryContext, name: Name): Found | undefined {
  const record = owned.get(name)
  if (record === undefined || !isHeldAsOurs(record) || record.publishedSerial === 0) return undefined
  const { reveal } = record
  return { reveal, claim: claimOf(reveal, name, profile), source: 'own' }
}

function heldRecord({ network }: RegistryContext, name: Name): Found | undefined {
  const held = network.storedRecord(name)
  // Nobody has confirmed a provisional claim: an earlier one may be known elsewhere.
  return held === undefined || held.state === 'provisional' ? undefined : { ...held, source: 'held' }
}

function isUndisputed(context: RegistryContext, name: Name, claim: Claim): boolean {
  const { pins, memory, profile } = context
  if (leaseOf(context, claim.newestRound).state !== 'live') return false
  if (isRollback(memory.newest(name, claim.id), claim)) return false
  const time = context.time()
  const pin = livePin(pins.get(name), time, profile)
  if (pin === undefined) return true
  const isInDispute = pin.state === 'tentative' && pin.rival !== undefined && isContested(pin, time, profile)
  return !isInDispute && equalBytes(pin.claim, claim.id)
}

/** Whether this daemon is registering a name that it has not revealed yet. */
export function isSecret(tasks: ClaimTasks, name: Name): boolean {
  const running = tasks.running(name)
  return running?.kind === 'register' && running.phase !== 'reveal'
}

/**
 * What a blinded look-up says of who holds a name: `claims` of the `heard` peers list it; then those who have shown its
 * record.
 */
export interface Claims {
  readonly claims: number
  readonly heard: number
  readonly proved: readonly Proved[]
}

/** A peer's answer with the record, which is Valid. */
type Proved = RevealAnswer & Required<Pick<RevealAnswer, 'reveal' | 'claim'>>

/** Our own store counts only when we are alone: we may just have joined. */
export function claimsIn({ answers }: RevealLookup): Claims {
  const others = answers.filter(({ self }) => !self)
  const heard = others.length === 0 ? answers : others
  const claims = heard.filter(({ state }) => state !== 'none')
  return {
    claims: claims.length,
    heard: heard.length,
    proved: claims.filter((answer): answer is Proved => answer.reveal !== undefined && answer.claim !== undefined)
  }
}

/**
 * Whether the name is held, so that nothing is left to hide: somebody has shown its record.
 * The network asks for the record only where most peers list it. A list proves nothing [liars who list every name], and
 * an open question would tell the liars that the name is wanted.
 */
export function isHeldByMost(found: RevealLookup): boolean {
  return claimsIn(found).proved.length > 0
}

/**
 * What a look-up answers: what peers say, as {@link decide}. But this daemon denies none of its own names, also where no
 * peer holds them: after a restore, or in a network that has just begun.
 */
export function answerOf(context: RegistryContext, found: Survey): ResolvedName {
  try {
    return decide(context, found)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'SVC-RES-002') throw error
    return insteadOfDenial(context, found.name, error)
  }
}

/** The own record, as `thin`. Throws the denial of a name that is not ours, and a thin one where there is no record. */
function insteadOfDenial(context: RegistryContext, name: Name, denial: ServiceError): ResolvedName {
  const { owned, store } = context
  const own = owned.get(name)
  if (own === undefined) throw store.get(keys.wanted(name)) === undefined ? denial : notFound(name, true)
  const { state, endRound } = leaseOf(context, own.reveal.drand_pulse)
  if (isGone(own) || isCancelled(own) || state === 'dead') throw denial
  if (state === 'grace') throw leaseEnded(context, name, endRound)
  const answer = answerAlone(context, name)
  if (answer === undefined) throw notFound(name, true)
  return answer
}

function leaseEnded(context: RegistryContext, name: Name, endRound: number): ServiceError {
  return new ServiceError('SVC-RES-003', `The lease of ${name} ended at ${roundTime(context, endRound)}.`)
}

/** The owner and the newest record by what peers say, or the error that says why there is none. */
export function decide(context: RegistryContext, found: Survey): ResolvedName {
  const { name, tally } = found
  switch (tally.kind) {
    case 'none':
      throw notFound(name, tally.thin)
    case 'contested':
      throw contested(found, tally)
    case 'undecided':
      throw new Error('a survey that has ended cannot be undecided')
    case 'owner': {
      const { newest } = tally.owner
      const { state, endRound } = leaseOf(context, newest.newestRound)
      if (state === 'dead') throw notFound(name)
      if (state === 'grace') throw leaseEnded(context, name, endRound)
      if (!context.memory.see(newest, tally.owner.final)) {
        throw new ServiceError(
          'SVC-RES-004',
          `Every peer that answered holds an older record of ${name} than one that was seen before.`,
          { retryAfter: 60 }
        )
      }
      const source = sourceOf(context, found)
      const reveal = revealOf(found, newest)
      return {
        reveal,
        checkCode: checkCodeOf(reveal, context.profile),
        confidence: tally.thin || source !== 'network' ? 'thin' : tally.settled ? 'settled' : 'provisional',
        source,
        ...(!tally.owner.final && { keysPending: true }),
        ...(found.notice && { notice: dated(context, found.notice) })
      }
    }
  }
}

/** A notice with the moment from which most holders count it; null for a round after the last moment of a Date. */
export function dated(
  { profile }: Pick<RegistryContext, 'profile'>,
  notice: NoticeSeen
): NoticeSeen & { readonly finalAt: string | null } {
  const ms = roundTimeMs(notice.final + 1, profile.beacon)
  return { ...notice, finalAt: ms > LAST_MS ? null : new Date(ms).toISOString() }
}

/** Where no other node answered, the vote was that of our own store. */
function sourceOf(context: RegistryContext, found: Survey): ResolvedName['source'] {
  if (!isUnconfirmed(context, found)) return 'network'
  return context.owned.get(found.name) === undefined ? 'held' : 'own'
}

/** `isThin`: fewer peers say so than a quorum. */
export function notFound(name: string, isThin = false): ServiceError {
  return new ServiceError(
    'SVC-RES-002',
    isThin ? `${name} is not registered, as far as few peers say.` : `${name} is not registered.`,
    isThin ? { extensions: { thin: true } } : {}
  )
}

function contested({ name, counted }: Survey, ruled: Extract<Ruled, { kind: 'contested' }>): ServiceError {
  const votesOf = (id: Uint8Array): number =>
    counted.filter(({ claim }) => claim !== undefined && equalBytes(claim.id, id)).length
  const remembered =
    'remembered' in ruled ? ruled.remembered.map(({ claim, pubkey }) => ({ pubkey, votes: votesOf(claim) })) : []
  const owners = [...ruled.candidates, ...remembered].map(({ pubkey, votes }) => ({ pubkey: toHex(pubkey), votes }))
  return new ServiceError('SVC-RES-004', contestedText(name, ruled, owners), { extensions: { candidates: owners } })
}

function contestedText(
  name: Name,
  { rule }: Extract<Ruled, { kind: 'contested' }>,
  owners: readonly { pubkey: string }[]
): string {
  switch (rule) {
    case 'pin':
      return (
        `The peers name another claim of ${name} than the one this daemon has known as ` +
        `settled. \`chronym pins forget ${name}\` makes it believe them.`
      )
    case 'two-majorities':
      return `Most peers name the key ${owners[0]!.pubkey} as the owner of ${name}, and named ${owners
        .slice(1)
        .map(({ pubkey }) => pubkey)
        .join(' and ')} shortly before. It is contested until one of them has stayed.`
    case 'no-majority':
      return `The peers that could be reached name ${owners.length} owners of ${name} and none has a majority.`
    case 'provisional-majority':
      return (
        `Most of the peers that could be reached hold a claim of ${name} that has not settled, and the others name ` +
        'another owner. Ask again in an hour, or by a check code.'
      )
    case 'parted':
      return (
        `The keys of ${name} were changed in ${owners.length} ways by one owner, and none is held by most of the ` +
        'peers that could be reached.'
      )
  }
}
