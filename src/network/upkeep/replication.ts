/** Hourly: records and commitments go to where they belong, and leave where they no longer do. */
import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { compareBytes, equalBytes, sha256, toHex } from '../../protocol/encoding/bytes.ts'
import { isWithin, radius } from '../../protocol/neighbourhood/key-space.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { HandedOver } from '../../protocol/admission/witness.ts'
import { codedRecord, type OwnRecord } from '../client/own-records.ts'
import { askWithRetries } from '../client/holders.ts'
import type { Holder } from '../holder/holder.ts'
import type { Claim } from '../../protocol/claim/claim.ts'
import type { Entries, Held } from '../holder/names/entries.ts'
import type { Peer, Peers } from '../peers.ts'
import { answerOrUndefined } from '../wire/exchange.ts'
import type { CommitmentsAnswer, HeldCommitments, SeenCommitment } from '../wire/commitments.ts'
import type { ListedEntry } from '../wire/list.ts'
import type { AnswerTo, Request } from '../wire/messages.ts'
import type { PutAnswer } from '../wire/records.ts'
import { positionOf } from '../table.ts'
import { OfflineError, type PutOutcome } from '../types.ts'
import { forEachConcurrently } from '../../util/concurrency.ts'
import type { Neighbour } from '../holder/names/neighbours.ts'

/** Pages of a neighbour's list that are compared with our own entries. */
const MAX_ENTRY_PAGES = 400

/** Pages of a neighbour's commitments: 8,000. Twenty liars cost 25 MB until their words prove to disagree. */
const MAX_COMMITMENT_PAGES = 16

/** Payloads dropped in one round: each is first sent to all holders. */
const MAX_DISPLACED = 100

/**
 * Time for one neighbour's list and records, and for its commitments: a slow one must not delay the others [a neighbour
 * that takes its time].
 */
const NEIGHBOUR_MS = 2 * 60_000
const COMMITMENTS_MS = 30_000

/** Time in a round for fetching missing records, and for sending misplaced ones. */
const MISSING_MS = 10 * 60_000
const DISPLACED_MS = 10 * 60_000

/** Entries compared between turns of the event loop: about 5 ms. */
const ENTRIES_AT_A_TIME = 100

/**
 * Gives each neighbour the records that it lacks or has older versions of, and takes its newer ones. Then fetches
 * missing records where enough neighbours list one claim to adopt it.
 */
export async function handOver(
  holder: Holder,
  peers: Peers,
  profile: NetworkProfile,
  isStopped: () => boolean,
  now = elapsed
): Promise<void> {
  const reach = radius(profile.k, peers.networkSize())
  const isMissing = (key: Uint8Array): boolean =>
    isWithin(key, peers.ownPosition, reach) && holder.entries.load(key) === undefined
  const missing = new MissingNames()
  for (const peer of peers.nearest(peers.ownPosition)) {
    if (isStopped()) return
    const position = positionOf(peer.id)
    const isOver = endOf(NEIGHBOUR_MS, isStopped, now)
    const giveMissing = async (kind: 'reveal' | 'coded', listed: ReadonlyMap<string, ListedEntry>): Promise<void> => {
      const entries = entriesOf(holder, kind)
      let looked = 0
      for (const key of entries.all()) {
        if (isOver()) return
        if (++looked % ENTRIES_AT_A_TIME === 0) await setImmediate()
        const own = isWithin(key, position, reach) ? entries.load(key) : undefined
        for (const record of lackingRecords(own, listed.get(toHex(key)))) {
          const answered = await give(holder, peers, peer, { kind, record })
          if (answered === undefined || answered === 'busy') return
        }
      }
    }
    const held = await listOf(peers, peer, 'reveal', isOver)
    if (held === undefined) continue
    await missing.note(peer, peers.met(peer), held, isMissing)
    await giveMissing('reveal', held)
    const coded = holder.coded.entries.count() === 0 ? undefined : await listOf(peers, peer, 'coded', isOver)
    if (coded !== undefined) await giveMissing('coded', coded)
    for (const { kind, key, record } of holder.documents.all()) {
      if (isOver()) break
      if (!isWithin(key, position, reach)) continue
      const answered = await give(holder, peers, peer, { kind, record })
      // It may be busy with this manifest only, because the holders of its identity are silent. Other records must
      // still reach it.
      if (answered === undefined || (answered === 'busy' && kind !== 'manifest')) break
    }
  }
  await missing.take(holder, peers, endOf(MISSING_MS, isStopped, now))
}

/**
 * The neighbours' commitments (by C in hex), for those that arrived while this node was away or not near. Nobody pushes
 * them: this node chooses the peers, and one word alone counts for nothing (`medianSeen`).
 * All are asked for the same part, which begins behind `from`. C is any 32 bytes, so thousands of stamped low values
 * would otherwise hide all others behind them [commitments that hide others].
 */
export async function askForCommitments(
  peers: Peers,
  isStopped: () => boolean,
  now = elapsed,
  from: Uint8Array = randomBytes(32)
): Promise<Map<string, HandedOver[]>> {
  const words = new Map<string, HandedOver[]>()
  for (const neighbour of peers.diverse(peers.nearest(peers.ownPosition))) {
    const isOver = endOf(COMMITMENTS_MS, isStopped, now)
    for await (const { commitment, seen } of commitmentsOf(peers, neighbour, from, isOver)) {
      const id = toHex(commitment)
      const said = words.get(id) ?? []
      words.set(id, said)
      said.push({ peer: neighbour.peer, prefix: neighbour.prefix, seen })
    }
  }
  return words
}

/** What a neighbour holds, in a circle that begins behind `from`; as much as the pages allow. */
async function* commitmentsOf(
  peers: Peers,
  neighbour: Peer,
  from: Uint8Array,
  isOver: () => boolean
): AsyncGenerator<SeenCommitment> {
  let after: Uint8Array | undefined = from
  let isSecondPart = false
  for (let page = 0; page < MAX_COMMITMENT_PAGES && !isOver(); page++) {
    const answer: CommitmentsAnswer | undefined = await answerOf(peers, neighbour, {
      type: 'commitments',
      ...(after !== undefined && { after })
    })
    if (answer?.type !== 'commitments') return
    const { commitments, more }: HeldCommitments = answer
    const wanted = isSecondPart
      ? commitments.filter(({ commitment }) => compareBytes(commitment, from) <= 0)
      : commitments
    yield* wanted
    if (isSecondPart && (!more || wanted.length < commitments.length)) return
    after = more ? commitments.at(-1)!.commitment : undefined
    isSecondPart ||= !more
  }
}

/**
 * Sends payloads that this node is no longer near to their holders, and drops each once more than half show it. The
 * stubs stay. Nothing stays of a name with a check code: there a stub would refuse nobody.
 */
export async function dropDisplaced(
  holder: Holder,
  profile: NetworkProfile,
  send: (record: OwnRecord) => Promise<PutOutcome>,
  isStopped: () => boolean,
  now = elapsed
): Promise<void> {
  const isOver = endOf(DISPLACED_MS, isStopped, now)
  let sent = 0
  let looked = 0
  for (const kind of ['reveal', 'coded'] as const) {
    const entries = entriesOf(holder, kind)
    for (const key of entries.all()) {
      if (++looked % ENTRIES_AT_A_TIME === 0) await setImmediate()
      if (isOver() || sent === MAX_DISPLACED) return
      if (holder.reveals.isNear(key) || entries.isStub(key)) continue
      const held = entries.load(key)
      if (held?.record === undefined || held.entry.state !== 'settled') continue
      sent++
      try {
        const { storedBy, of } = await send(recordOf(kind, held.entry.claim.name, held.record, profile))
        if (storedBy * 2 <= of) continue
        if (kind === 'reveal') entries.dropPayload(key)
        else entries.drop(key)
      } catch (error) {
        if (error instanceof OfflineError) return
        throw error
      }
    }
  }
}

function recordOf(kind: 'reveal' | 'coded', name: string, bytes: Uint8Array, profile: NetworkProfile): OwnRecord {
  const reveal: OwnRecord = { kind: 'reveal', id: name, bytes }
  return kind === 'reveal' ? reveal : codedRecord(reveal, profile)
}

function entriesOf(holder: Holder, kind: 'reveal' | 'coded'): Entries {
  return kind === 'reveal' ? holder.entries : holder.coded.entries
}

function elapsed(): number {
  return performance.now()
}

/** Returns a check: the time has passed, or everything is to stop. */
function endOf(milliseconds: number, isStopped: () => boolean, now: () => number): () => boolean {
  const end = now() + milliseconds
  return () => isStopped() || now() >= end
}

/** K in hex -> a peer's entry; undefined when it does not answer in time. */
async function listOf(
  peers: Peers,
  peer: Peer,
  kind: 'reveal' | 'coded',
  isOver: () => boolean
): Promise<Map<string, ListedEntry> | undefined> {
  const held = new Map<string, ListedEntry>()
  let after: Uint8Array | undefined
  for (let page = 0; page < MAX_ENTRY_PAGES; page++) {
    if (isOver()) return undefined
    const answer = await answerOf(peers, peer, {
      type: 'list',
      key: sha256(),
      bits: 0,
      ...(kind === 'coded' && { coded: true }),
      ...(after !== undefined && { after })
    })
    if (answer?.type !== 'listed') return undefined
    for (const entry of answer.entries) held.set(toHex(entry.key), entry)
    if (!answer.more) break
    after = answer.entries.at(-1)!.key
  }
  return held
}

/** Records held here that a neighbour lists otherwise: the record, then that of its notice, which follows it. */
function lackingRecords(own: Held | undefined, listed: ListedEntry | undefined): Uint8Array[] {
  if (own?.record === undefined) return []
  const { claim, notice } = own.entry
  const isListed = (theirs: Uint8Array | undefined, ours: Claim | undefined): boolean =>
    ours === undefined || (theirs !== undefined && equalBytes(theirs, ours.recordHash))
  return [
    ...(isListed(listed?.record, claim) ? [] : [own.record]),
    ...(own.notice === undefined || isListed(listed?.notice, notice?.claim) ? [] : [own.notice])
  ]
}

/** The peer's answer, undefined for none. Takes a newer record that the peer returns. */
async function give(
  holder: Holder,
  peers: Peers,
  peer: Peer,
  record: { kind: OwnRecord['kind']; record: Uint8Array }
): Promise<PutAnswer['type'] | undefined> {
  const answer = await answerOf(peers, peer, { type: 'put', ...record })
  if (answer?.type === 'stale') await holder.put(record.kind, answer.record, peer)
  return answer?.type
}

async function answerOf<R extends Request>(peers: Peers, peer: Peer, request: R): Promise<AnswerTo<R> | undefined> {
  return answerOrUndefined(askWithRetries(peers, peer, request))
}

/**
 * Names that one neighbour may add in a round, some kilobytes of memory each: invented names displace no other peer's.
 */
const MAX_OF_ONE = 500

/** Parallel requests: as many proofs as are verified at once, and some in transit. */
const TAKEN_AT_ONCE = 4

/** Names checked in our own store between turns of the event loop: about 5 ms. */
const LOOKED_UP_AT_A_TIME = 100

/** Names that neighbours list and this node lacks: a newcomer fetches them, so that no one needs to push. */
class MissingNames {
  readonly #listed: Neighbour[] = []
  readonly #byKey = new Map<string, { readonly key: Uint8Array; readonly entries: Map<string, Neighbour['entry']> }>()

  async note(
    from: Peer,
    met: number | undefined,
    listed: ReadonlyMap<string, ListedEntry>,
    isMissing: (key: Uint8Array) => boolean
  ): Promise<void> {
    const { peer, prefix } = from
    this.#listed.push({ peer, prefix, from, ...(met !== undefined && { met }) })
    let added = 0
    let looked = 0
    for (const [id, { key, claim: claimId, state, changes }] of listed) {
      const entry = { claimId, state, changes }
      const known = this.#byKey.get(id)
      if (known !== undefined) {
        known.entries.set(peer, entry)
        continue
      }
      if (added === MAX_OF_ONE) continue
      if (++looked % LOOKED_UP_AT_A_TIME === 0) await setImmediate()
      if (!isMissing(key)) continue
      added++
      this.#byKey.set(id, { key, entries: new Map([[peer, entry]]) })
    }
  }

  /** Fetches and enters each name for which enough neighbours list one claim. One that does not list it holds none. */
  async take(holder: Holder, peers: Peers, isStopped: () => boolean): Promise<void> {
    const known = peers.diverse(peers.nearest(peers.ownPosition)).length
    await forEachConcurrently(this.#byKey.values(), TAKEN_AT_ONCE, async ({ key, entries }) => {
      const answers = this.#listed.map((who) => {
        const entry = entries.get(who.peer)
        return entry === undefined ? who : { ...who, entry }
      })
      if (!isStopped()) await holder.reveals.take({ kind: 'reveal', key, answers, known })
    })
  }
}
