import { equalBytes, sha256 } from '../../protocol/bytes.ts'
import { isWithin, radius } from '../../protocol/density.ts'
import { recordKeyPreimage, type RecordKind } from '../../protocol/record-key.ts'
import { profileHash } from '../../protocol/profile.ts'
import type { Peer, Peers } from '../peers.ts'
import { AskError } from '../protocol/ask.ts'
import type { GetAnswer } from '../protocol/get.ts'
import type { PutAnswer } from '../protocol/put.ts'
import { positionOf } from '../routing.ts'
import { pause } from '../timers.ts'
import type { PutOutcome } from '../types.ts'
import { reachable, type ClientParts } from './parts.ts'

/** Times that a record is sent and read back before the rest is left to republishing. */
const MAX_ROUNDS = 4

/** Before the second round, where a peer was busy; twice as long before each later one. */
const BUSY_PAUSE_MS = 250

export interface OutgoingRecord {
  readonly kind: RecordKind
  /** The name or DID. */
  readonly id: string
  readonly bytes: Uint8Array
  /** Whether a peer that holds these bytes has what was to be stored: them, or a newer record of ours. */
  readonly isSatisfiedBy: (bytes: Uint8Array) => boolean
}

/**
 * Stores a record at the peers closest to its K and reads it back from those who should hold it, found by other look-ups than the one it was sent by.
 *
 * Those among them that it was not sent to tell whether whoever looks for it comes to where it was sent [a look-up led astray]: where there are any, more
 * than half of them have to hold it as well as more than half of all. Who lacks it is sent it, in four rounds at most. In networks of up to k all were sent it,
 * and their own word is all there is. `storedBy` counts who showed the record when asked last, of all who should hold it. Throws OfflineError, or the signal's reason.
 */
export async function put(parts: ClientParts, outgoing: OutgoingRecord, signal?: AbortSignal): Promise<PutOutcome> {
  const { peers, countedSelf, self } = reachable(parts)
  const { kind, id, bytes } = outgoing
  const preimage = recordKeyPreimage(kind, id, profileHash(parts.profile))
  const refusals = new Map<string, PutOutcome['refusals'][number]>()
  const note = (peer: string, answer: PutAnswer | undefined): void => {
    const refusal = refusalOf(peer, answer)
    if (refusal === undefined) refusals.delete(peer)
    else refusals.set(peer, refusal)
  }

  const sent = new Set<string>()
  let targets = await peers.closest(preimage, signal)
  let outcome: PutOutcome = { storedBy: 0, of: 0, refusals: [] }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    signal?.throwIfAborted()
    if (targets.some(({ peer }) => refusals.get(peer)?.code === 'busy')) await pause(BUSY_PAUSE_MS * 2 ** (round - 1), signal)
    for (const { peer } of targets) sent.add(peer)
    await Promise.all(targets.map(async (peer) => note(peer.peer, await orNothing(peers.ask(peer, { type: 'put', kind, record: bytes }, signal)))))
    signal?.throwIfAborted()
    // After the peers: what our own holder has it hands over by itself, and whoever gives up before has published nothing.
    if (round === 0 && self !== undefined) {
      const answer = await self.put(kind, bytes)
      if (countedSelf !== undefined) note(parts.ownPeerId, answer)
    }
    const readers = await holdersOf(peers, preimage, parts.profile.k, signal)
    const holds = await Promise.all(readers.map((peer) => readBack(peers, peer, outgoing, preimage, signal)))
    const ownHold = countedSelf !== undefined && isHeld(countedSelf.get(kind, sha256(preimage)), outgoing)
    const storedBy = holds.filter(Boolean).length + (ownHold ? 1 : 0)
    const of = readers.length + (countedSelf === undefined ? 0 : 1)
    outcome = { storedBy, of, refusals: [...refusals.values()] }
    const unwritten = holds.filter((_, index) => !sent.has(readers[index]!.peer))
    if (storedBy * 2 > of && (unwritten.length === 0 || unwritten.filter(Boolean).length * 2 > unwritten.length)) return outcome
    targets = readers.filter((_, index) => holds[index] === false)
    // A refusal is a verdict, not bad luck: sending the same bytes again changes nothing.
    if (targets.every(({ peer }) => isFinal(refusals.get(peer)?.code))) return outcome
  }
  return outcome
}

/** Whoever should hold what belongs at H(preimage): those a look-up finds, and those in the neighbourhood's reach that look-ups of other keys find. */
async function holdersOf(peers: Peers, preimage: Uint8Array, k: number, signal?: AbortSignal): Promise<Peer[]> {
  const key = sha256(preimage)
  const [closest, { peers: around }] = await Promise.all([peers.closest(preimage, signal), peers.neighbourhood(key, signal)])
  const reach = radius(k, peers.networkSize())
  const near = around.filter(({ id }) => isWithin(key, positionOf(id), reach))
  return [...new Map([...closest, ...near].map((peer) => [peer.peer, peer])).values()]
}

async function readBack(peers: Peers, peer: Peer, outgoing: OutgoingRecord, preimage: Uint8Array, signal?: AbortSignal): Promise<boolean> {
  const answer = await orNothing(peers.ask(peer, { type: 'get', kind: outgoing.kind, key: sha256(preimage) }, signal))
  return answer !== undefined && isHeld(answer, outgoing)
}

function isHeld(answer: GetAnswer, { bytes, isSatisfiedBy }: OutgoingRecord): boolean {
  const held = answer.type === 'entry' || answer.type === 'document' ? answer.record : undefined
  return held !== undefined && (equalBytes(held, bytes) || isSatisfiedBy(held))
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

/** What was answered; undefined when the peer gave no answer. */
async function orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof AskError) return undefined
    throw error
  }
}
