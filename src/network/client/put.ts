import { equalBytes, sha256 } from '../../protocol/encoding/bytes.ts'
import { recordKeyPreimage, type RecordKind } from '../../protocol/neighbourhood/key-space.ts'
import { profileHash } from '../../protocol/profile/profile.ts'
import { waitForEnough } from '../../util/wait-for-enough.ts'
import type { Peer, Peers } from '../peers.ts'
import { answerOrUndefined } from '../wire/ask.ts'
import type { GetAnswer, PutAnswer } from '../wire/records.ts'
import { systemClock } from '../../time/clock.ts'
import type { PutOutcome } from '../types.ts'
import { type ClientParts, distinct, nearby, reachable, requireOthers } from './holders.ts'

/** Rounds of sending and reading back before republishing takes over. */
const MAX_ROUNDS = 4

/** Pause before the second round, where a peer was busy; doubles each round. */
const BUSY_PAUSE_MS = 250

interface OutgoingRecord {
  readonly kind: RecordKind
  /** The name or DID. */
  readonly id: string
  readonly bytes: Uint8Array
  /** Whether a peer with these bytes is up to date: it holds them, or a newer record of ours. */
  readonly isSatisfiedBy: (bytes: Uint8Array) => Promise<boolean>
}

/**
 * Stores a record at the peers closest to its K and reads it back from its holders. Holders include peers that look-ups
 * of other keys near K find meanwhile.
 * Peers that were not sent the record test that resolvers reach its holders [a look-up led astray]. If there are any,
 * more than half of them must show it, as well as more than half of all. Up to four rounds resend it to those that lack
 * it. In networks of up to k, every peer was sent it, so only their own word counts. `storedBy` counts the diverse
 * peers that show the record, up to a second after enough do. Throws OfflineError, or the signal's reason.
 */
export async function put(parts: ClientParts, outgoing: OutgoingRecord, signal?: AbortSignal): Promise<PutOutcome> {
  const { peers, countedSelf, self } = reachable(parts)
  const { kind, id, bytes } = outgoing
  const preimage = recordKeyPreimage(kind, id, profileHash(parts.profile))
  const key = sha256(preimage)
  const refusals = new Map<string, PutOutcome['refusals'][number]>()
  const note = (peer: string, answer: PutAnswer | undefined): void => {
    const refusal = refusalOf(peer, answer)
    if (refusal === undefined) refusals.delete(peer)
    else refusals.set(peer, refusal)
  }
  const sent = new Set<string>()
  /** Puts whose remaining answers nobody awaits. */
  const underWay = new Map<string, Promise<unknown>>()
  const sendTo = async (targets: readonly Peer[]): Promise<void> => {
    for (const { peer } of targets) {
      sent.add(peer)
      note(peer, undefined)
    }
    const pending = targets.map(async (to) => {
      const answer = await answerOrUndefined(peers.ask(to, { type: 'put', kind, record: bytes }, signal))
      note(to.peer, answer)
      underWay.delete(to.peer)
      return answer
    })
    for (const [index, answer] of pending.entries()) underWay.set(targets[index]!.peer, answer)
    await waitForEnough(
      pending,
      (answers) => answers.filter((answer) => answer !== undefined).length * 2 > targets.length
    )
    signal?.throwIfAborted()
  }

  const closest = await peers.closest(preimage, signal)
  signal?.throwIfAborted()
  const [around] = await Promise.all([nearby(peers, key, parts.profile.k, signal), sendTo(closest)])
  const readers = distinct(closest, around)
  requireOthers(parts, readers)
  // After the peers: this node's holder hands its records over, and a put aborted earlier has published nothing.
  if (self !== undefined) {
    const answer = await self.put(kind, bytes)
    if (countedSelf !== undefined) note(parts.ownPeerId, answer)
  }
  // Otherwise twelve ids of one machine that accept a record and show nothing prevent a majority [ids of one address
  // that keep nothing].
  const counted = (some: readonly Peer[]): number => peers.diverse(some).length
  const of = counted(readers) + (countedSelf === undefined ? 0 : 1)
  for (let round = 1; ;) {
    const ownHold = countedSelf !== undefined && (await isHeld(countedSelf.get(kind, key), outgoing))
    const count = (holds: readonly (boolean | undefined)[]): number =>
      counted(readers.filter((_, index) => holds[index])) + (ownHold ? 1 : 0)
    const unwritten = readers.filter(({ peer }) => !sent.has(peer))
    const isStored = (holds: readonly (boolean | undefined)[]): boolean => {
      const held = unwritten.filter((peer) => holds[readers.indexOf(peer)])
      return count(holds) * 2 > of && (unwritten.length === 0 || counted(held) * 2 > counted(unwritten))
    }
    const holds = await waitForEnough(
      readers.map((peer) => readBack(peers, peer, outgoing, key, signal)),
      isStored
    )
    const outcome = { storedBy: count(holds), of, refusals: [...refusals.values()] }
    if (isStored(holds)) return outcome
    // Not to peers that refused it, which is a verdict, nor to peers still busy with it, which may soon hold it.
    const targets = readers.filter(
      ({ peer }, index) => holds[index] === false && !underWay.has(peer) && !isFinal(refusals.get(peer)?.code)
    )
    if (round === MAX_ROUNDS || targets.length === 0) {
      if (underWay.size === 0) return outcome
      await Promise.all(underWay.values())
      continue
    }
    if (targets.some(({ peer }) => refusals.get(peer)?.code === 'busy'))
      await systemClock.sleep(BUSY_PAUSE_MS * 2 ** (round - 1), signal)
    round++
    await sendTo(targets)
  }
}

async function readBack(
  peers: Peers,
  peer: Peer,
  outgoing: OutgoingRecord,
  key: Uint8Array,
  signal?: AbortSignal
): Promise<boolean> {
  const answer = await answerOrUndefined(peers.ask(peer, { type: 'get', kind: outgoing.kind, key }, signal))
  return answer !== undefined && (await isHeld(answer, outgoing))
}

async function isHeld(answer: GetAnswer, { bytes, isSatisfiedBy }: OutgoingRecord): Promise<boolean> {
  const held = answer.type === 'entry' || answer.type === 'document' ? answer.record : undefined
  return held !== undefined && (equalBytes(held, bytes) || (await isSatisfiedBy(held)))
}

const NOT_FINAL: ReadonlySet<string> = new Set(['busy', 'no-answer'])

function isFinal(code: string | undefined): boolean {
  return code !== undefined && !NOT_FINAL.has(code)
}

function refusalOf(peer: string, answer: PutAnswer | undefined): PutOutcome['refusals'][number] | undefined {
  switch (answer?.type) {
    case 'stored':
      return undefined
    case 'refused':
      return { peer, code: answer.code, detail: answer.detail }
    case 'stale':
      return { peer, code: 'stale', detail: 'the peer holds a newer record of the same key' }
    case 'busy':
      return { peer, code: 'busy', detail: 'the peer has too much to do, or the name was changed too often' }
    case undefined:
      return { peer, code: 'no-answer', detail: 'the peer did not answer' }
  }
}
