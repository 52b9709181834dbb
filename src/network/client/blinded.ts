/** Questions that do not reveal a name: whether it is taken, and the commitment to it. */
import { randomBytes } from 'node:crypto'
import { equalBytes, toHex } from '../../protocol/encoding/bytes.ts'
import { distance, isWithin, radius, blindedKey, recordKey } from '../../protocol/neighbourhood/key-space.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile/profile.ts'
import { decodeReveal } from '../../protocol/claim/reveal.ts'
import { waitForEnough, GRACE_MS } from '../../util/wait-for-enough.ts'
import type { Holder } from '../holder/holder.ts'
import type { Peer, Peers } from '../peers.ts'
import { AskError } from '../wire/exchange.ts'
import type { GetAnswer } from '../wire/records.ts'
import { positionOf } from '../table.ts'
import type { RevealAnswer, RevealLookup, SilentPeer, CommitOutcome, VerifiedReceipt } from '../types.ts'
import { KeySample, type Listing, isShown, listingOf, withDecoys } from './listing.ts'
import { judgeOf } from './get.ts'
import { type ClientParts, askWithRetries, reachable, withDeadline, requireOthers } from './holders.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { decodeReceipt, verifyReceipt } from '../../protocol/claim/commitment.ts'
import { OURSELVES } from '../budget/budget.ts'

/**
 * Time that remains once more than half have listed everything: the limit of one question. With less, peers that list
 * nothing end first and outnumber the rest.
 */
export const STRAGGLERS_MS = 10_000

/** Time for one peer's records: eight, with at most 1.75 s of being busy each. */
const RECORDS_MS = 20_000

/**
 * Whether a name is taken, without revealing which: lists the neighbourhood under the blinded prefix of K(name) and
 * compares here.
 * Asks for the record, among others of the same listings, only if most holders list the name. A name that few list is
 * never requested [a name that a liar lists to learn it]. `reveal` and `claim` are set where a peer showed a Valid
 * record; other answers are unproved. A peer that sends an invalid record is penalised and counts as silent. Throws
 * OfflineError, or the signal's reason.
 */
export async function probe(parts: ClientParts, name: string, signal?: AbortSignal): Promise<RevealLookup> {
  const { peers, self } = reachable(parts)
  const { random = randomBytes, decoySecret } = parts
  const key = recordKey('reveal', name, profileHash(parts.profile))
  const { peers: neighbours, bits } = await peers.neighbourhood(key, signal)
  // The prefix of another key that shares only these bits: K is never sent. It also selects the diverse peers.
  const prefix = { key: blindedKey(key, bits, random(32)), bits }
  const asked = peers.diverse(nearestFirst(prefix.key, neighbours))
  const listed = await askAll(peers, asked, STRAGGLERS_MS, signal, (peer, either) =>
    listingOf(peers, peer, prefix, { wanted: key, others: new KeySample(key, decoySecret) }, either)
  )
  // A peer's prefix is certain only once it has answered.
  const counted = peers.diverse(asked)
  const shown = await provenBy(parts, peers, name, holdersAmong(counted, parts, peers, key, listed), listed, signal)
  const replies = counted.map(({ peer }) => shown.get(peer) ?? replyOf(peer, listed.get(peer)))
  const answers = replies.filter((reply) => 'state' in reply)
  if (self !== undefined) answers.push(ownAnswer(self, key, parts.ownPeerId))
  const silent = replies.filter((reply) => 'reason' in reply)
  return {
    answers,
    asked: counted.length + (self === undefined ? 0 : 1),
    silent,
    networkSize: peers.networkSize(),
    leftOut: neighbours.length - counted.length
  }
}

/** The holders that answered, and those that list the name if they suffice to be asked for it. */
interface Holders {
  readonly heard: readonly Peer[]
  readonly showing: readonly Peer[]
}

function holdersAmong(
  counted: readonly Peer[],
  { profile }: ClientParts,
  peers: Peers,
  key: Uint8Array,
  listed: ReadonlyMap<string, Listing>
): Holders {
  const reach = radius(profile.k, peers.networkSize())
  const holders = nearestFirst(
    key,
    counted.filter(({ id }) => isWithin(key, positionOf(id), reach))
  ).slice(0, profile.k)
  const heard = holders.filter(({ peer }) => listed.has(peer))
  const showing = heard.filter(({ peer }) => isShown(listed.get(peer)!.found))
  return {
    heard,
    showing: isShownByMost({ showing: showing.length, heard: heard.length, asked: holders.length }, profile)
      ? showing
      : []
  }
}

/**
 * Whether a name is listed often enough to be requested: by more than half of the answers, and by `witness_quorum`, or
 * by all of fewer answers. Networks that count no prefixes need only more than half: there, one machine that is off is
 * likelier than a liar.
 */
export function isShownByMost(
  { showing, heard, asked }: { showing: number; heard: number; asked: number },
  profile: NetworkProfile
): boolean {
  const all = profile.answers_per_prefix === 0 ? Math.floor(asked / 2) + 1 : asked
  return showing * 2 > heard && showing >= Math.min(profile.witness_quorum, all)
}

async function provenBy(
  parts: ClientParts,
  peers: Peers,
  name: string,
  { heard, showing }: Holders,
  listed: ReadonlyMap<string, Listing>,
  signal: AbortSignal | undefined
): Promise<ReadonlyMap<string, RevealAnswer | SilentPeer>> {
  const key = recordKey('reveal', name, profileHash(parts.profile))
  // From all listings: liars that list only this name would otherwise be asked for it alone.
  const batch = withDecoys(
    key,
    heard.map(({ peer }) => listed.get(peer)!.others),
    parts.decoySecret
  )
  const records = await askAll(peers, showing, GRACE_MS, signal, (peer, either) =>
    recordAmong(peers, peer, batch, key, either)
  )
  const judge = judgeOf(parts, name, signal ?? new AbortController().signal)
  const proven = new Map<string, RevealAnswer | SilentPeer>()
  for (const from of showing) {
    const { peer } = from
    const answer = records.get(peer)
    const judged = answer?.type === 'entry' ? await judge(answer, { peer, self: false }) : undefined
    if (judged === 'invalid') {
      peers.penalise(from, `an invalid record for ${name}`)
      proven.set(peer, { peer, reason: judged })
    } else if (typeof judged === 'object' && judged.claim !== undefined) proven.set(peer, judged)
  }
  return proven
}

/** A peer's answer for one key. All keys are requested, whatever it answers. */
async function recordAmong(
  peers: Peers,
  peer: Peer,
  keys: readonly Uint8Array[],
  wanted: Uint8Array,
  signal: AbortSignal
): Promise<GetAnswer | undefined> {
  return withDeadline(RECORDS_MS, signal, async (either) => {
    let found: GetAnswer | undefined
    for (const key of keys) {
      const answer = await askWithRetries(peers, peer, { type: 'get', kind: 'reveal', key }, either)
      if (equalBytes(key, wanted)) found = answer
    }
    return found
  })
}

/**
 * Each peer's result, without silent peers. Ends when all end, or `graceMs` after more than half of the diverse peers
 * have a result, and aborts the rest. Timing does not depend on what was found.
 */
async function askAll<T>(
  peers: Peers,
  asked: readonly Peer[],
  graceMs: number,
  signal: AbortSignal | undefined,
  askOne: (peer: Peer, signal: AbortSignal) => Promise<T | undefined>
): Promise<ReadonlyMap<string, T>> {
  const rest = new AbortController()
  const either = signal === undefined ? rest.signal : AbortSignal.any([signal, rest.signal])
  const orUndefined = async (peer: Peer): Promise<T | undefined> => {
    try {
      return await askOne(peer, either)
    } catch (error) {
      if (error instanceof AskError) return undefined
      throw error
    }
  }
  const isEnough = (answers: readonly (T | undefined)[]): boolean => {
    const heard = asked.filter((_, index) => answers[index] !== undefined)
    return peers.diverse(heard).length * 2 > peers.diverse(asked).length
  }
  const answers = await waitForEnough<T | undefined>(asked.map(orUndefined), isEnough, graceMs)
  rest.abort(new AskError('the others have answered'))
  return new Map(
    asked.flatMap(({ peer }, index) => (answers[index] === undefined ? [] : [[peer, answers[index]] as const]))
  )
}

function replyOf(peer: string, listing: Listing | undefined): RevealAnswer | SilentPeer {
  if (listing === undefined) return { peer, reason: 'no-answer' }
  const { found } = listing
  return found === undefined
    ? { peer, self: false, state: 'none' }
    : { peer, self: false, state: found.state, claimId: found.claim }
}

function ownAnswer(self: Holder, key: Uint8Array, peer: string): RevealAnswer {
  const held = self.entries.load(key)
  if (held === undefined) return { peer, self: true, state: 'none' }
  const {
    entry: { state, claim },
    record
  } = held
  return {
    peer,
    self: true,
    state,
    claimId: claim.id,
    ...(record !== undefined && { reveal: decodeReveal(record), claim })
  }
}

function nearestFirst(key: Uint8Array, peers: readonly Peer[]): Peer[] {
  const distances = new Map(peers.map((peer) => [peer, distance(key, positionOf(peer.id))]))
  return peers.toSorted((left, right) => distances.get(left)! - distances.get(right)!)
}

/**
 * Sends C with its stamp to every peer that shares the blinded prefix of K(name). Returns the verified receipts of
 * diverse peers.
 * Nothing sent reveals K(name). Safe to repeat: peers keep the round at which they first saw C. Throws OfflineError, or
 * the signal's reason.
 */
export async function commit(
  parts: ClientParts,
  name: string,
  commitment: Uint8Array,
  nonce: Uint8Array,
  signal?: AbortSignal
): Promise<CommitOutcome> {
  signal?.throwIfAborted()
  const { peers, countedSelf, self } = reachable(parts)
  const hash = profileHash(parts.profile)
  const receipts: VerifiedReceipt[] = []
  // This node keeps C in any network where it stores; its receipt counts only where it is a holder.
  const own = self?.commit(commitment, nonce, OURSELVES.prefix)
  if (countedSelf !== undefined && own !== undefined && typeof own !== 'string') {
    receipts.push({ peer: parts.ownPeerId, seenRound: own.seen, signature: own.signature })
  }
  const neighbourhood = await peers.neighbourhood(recordKey('reveal', name, hash), signal)
  signal?.throwIfAborted()
  const asked = neighbourhood.peers
  requireOthers(parts, asked)
  // All keep C, only diverse peers count: otherwise silent ids of one machine block every commitment [silent ids of one
  // address].
  const of = peers.diverse(asked).length + (countedSelf === undefined ? 0 : 1)
  const received = (answers: readonly (VerifiedReceipt | undefined)[]): VerifiedReceipt[] => {
    const counted = new Set(
      peers.diverse(asked.filter((_, index) => answers[index] !== undefined)).map(({ peer }) => peer)
    )
    return answers.filter((receipt) => receipt !== undefined && counted.has(receipt.peer)) as VerifiedReceipt[]
  }
  const pending = asked.map((peer) => receiptOf(peers, peer, commitment, nonce, hash, signal))
  const answers = await waitForEnough(pending, (some) => (receipts.length + received(some).length) * 2 > of)
  receipts.push(...received(answers))
  return { receipts, of }
}

async function receiptOf(
  peers: Peers,
  peer: Peer,
  commitment: Uint8Array,
  nonce: Uint8Array,
  hash: Uint8Array,
  signal?: AbortSignal
): Promise<VerifiedReceipt | undefined> {
  try {
    const answer = await askWithRetries(peers, peer, { type: 'commit', commitment, nonce }, signal)
    if (answer.type !== 'received') return undefined
    const receipt = decodeReceipt(answer.receipt)
    const isTheirs = toHex(receipt.peer) === toHex(peer.id.toMultihash().bytes)
    if (isTheirs && equalBytes(receipt.commitment, commitment) && verifyReceipt(receipt, hash)) {
      return { peer: peer.peer, seenRound: receipt.seen, signature: receipt.signature }
    }
    peers.penalise(peer, 'a receipt that does not verify')
    return undefined
  } catch (error) {
    if (error instanceof ProtocolError) peers.penalise(peer, error.message)
    else if (!(error instanceof AskError)) throw error
    return undefined
  }
}
