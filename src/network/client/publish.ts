/** Publishing a record: checked and kept here, stored at the peers that should hold it, and read back from them. */
import { equalBytes, sha256 } from '../../protocol/encoding/bytes.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import type { Judged, ManifestOutline } from '../../protocol/identity/judge-documents.ts'
import { decodeReveal } from '../../protocol/claim/reveal.ts'
import type { Verdict } from '../../protocol/claim/valid.ts'
import type { PublishOptions, PutOutcome } from '../types.ts'
import {
  type OwnRecord,
  type OwnRecordParts,
  codedRecord,
  isStillAccepted,
  ownRecord,
  rememberOwnRecord
} from './own-records.ts'
import { type ClientParts, askWithRetries, distinct, nearby, reachable, requireOthers } from './holders.ts'
import { claimOf, type RecordOrder, compareRecords } from '../../protocol/claim/claim.ts'
import { decodeIdentityEnvelope } from '../../protocol/identity/record.ts'
import { compareManifestOrder, compareManifests, decodeManifestRecord } from '../../protocol/identity/manifest.ts'
import { parseName } from '../../protocol/name/names.ts'
import { type NetworkProfile, profileHash } from '../../protocol/profile/profile.ts'
import { recordKeyPreimage, type RecordKind } from '../../protocol/neighbourhood/key-space.ts'
import { waitForEnough } from '../../util/wait-for-enough.ts'
import type { Peer } from '../peers.ts'
import { answerOrUndefined } from '../wire/exchange.ts'
import type { GetAnswer, PutAnswer } from '../wire/records.ts'

/**
 * Publishes one of this daemon's records; a Reveal at the place of its check code too. The outcome is that of its name.
 * Stores it first, so that republishing works even if no peer takes it now.
 * Invalid records are not sent, since peers would penalise us. A manifest older than the published one is refused here.
 * For a Reveal, `first` runs beside the look-ups of its holders: nothing is stored or sent before it resolves.
 * Throws OfflineError, the signal's reason, or the error of `first`.
 */
export async function publish(
  parts: ClientParts,
  { store, clock }: Pick<OwnRecordParts, 'store' | 'clock'>,
  record: OwnRecord,
  { signal, first, isNotice = false }: PublishOptions = {}
): Promise<PutOutcome> {
  const problem = await problemOf(parts, record)
  signal?.throwIfAborted()
  if (problem !== undefined) return refusedHere(parts, 'invalid', problem)
  /** Whether it is older than the one that was published here, which then stays. */
  const remember = (): boolean => {
    const former = ownRecord(store, record.kind, record.id)
    const isOlder =
      former !== undefined &&
      isStillAccepted({ ...record, bytes: former }, { store, clock, profile: parts.profile }) &&
      compareToOwn(former, record, parts.profile) > 0
    if (!isOlder && (former === undefined || !equalBytes(former, record.bytes))) rememberOwnRecord(store, record)
    return isOlder
  }
  if (record.kind !== 'reveal') {
    // Republishing would soon replace an older manifest with the newer one.
    const isRefused = remember() && record.kind === 'manifest'
    return isRefused ? refusedHere(parts, 'stale', 'a newer one was published here') : send(parts, record, signal)
  }
  const prepare = async (): Promise<void> => {
    await first?.()
    signal?.throwIfAborted()
    if (!isNotice) remember()
  }
  const ready = prepare()
  // A newer record of our key that this node did not make comes from another node with our seed.
  const isOurs = (held: Uint8Array): boolean =>
    equalBytes(held, (isNotice ? undefined : ownRecord(store, record.kind, record.id)) ?? record.bytes)
  const sent = (each: OwnRecord): Promise<PutOutcome> =>
    put(parts, { ...each, ready, isSatisfiedBy: (held) => Promise.resolve(isOurs(held)) }, signal)
  // Where the name is refused, its claim is still found by its code.
  const outcomes = Promise.all([sent(record), sent(codedRecord(record, parts.profile))])
  // Where nobody can be asked the record is stored all the same, and a reason of `first` is the one to tell.
  outcomes.catch(() => undefined)
  await ready
  const [outcome] = await outcomes
  return outcome
}

/** Sends an already published record. Throws OfflineError, or the signal's reason. */
export function send(parts: ClientParts, record: OwnRecord, signal?: AbortSignal): Promise<PutOutcome> {
  return put(parts, { ...record, isSatisfiedBy: satisfies(record, parts) }, signal)
}

function refusedHere({ ownPeerId }: ClientParts, code: 'invalid' | 'stale', detail: string): PutOutcome {
  return { storedBy: 0, of: 0, refusals: [{ peer: ownPeerId, code, detail }] }
}

async function problemOf(parts: ClientParts, record: OwnRecord): Promise<string | undefined> {
  try {
    const verdict = await verdictOn(parts, record)
    return verdict.ok ? undefined : `${verdict.rule}: ${verdict.detail}`
  } catch (error) {
    if (error instanceof ProtocolError) return error.message
    throw error
  }
}

function verdictOn(
  { profile, verifier, judge }: ClientParts,
  { kind, bytes }: OwnRecord
): Promise<Verdict | Judged<unknown>> {
  switch (kind) {
    case 'kid':
      return judge.judgeIdentity(bytes, profile, 'own')
    case 'manifest':
      return judge.judgeManifest(bytes, profile, 'own')
    case 'reveal':
    case 'coded':
      return verifier.validate(decodeReveal(bytes))
  }
}

/**
 * Tells whether a peer's record is as new as ours, for the same claim or owner. Manifests are read on a thread: one of
 * 21,000 empty arrays takes 6 ms, and twenty peers may each show a different one.
 */
export function satisfies(
  own: OwnRecord,
  { profile, judge }: Pick<ClientParts, 'profile' | 'judge'>
): (held: Uint8Array) => Promise<boolean> {
  if (own.kind !== 'manifest') return (held) => Promise.resolve(compareToOwn(held, own, profile) >= 0)
  const outlineOf = async (record: Uint8Array): Promise<ManifestOutline | undefined> => {
    const judged = await judge.judgeManifest(record, profile, 'own')
    return judged.ok ? judged.value : undefined
  }
  let ours: Promise<ManifestOutline | undefined> | undefined
  return async (held) => {
    const [one, other] = await Promise.all([(ours ??= outlineOf(own.bytes)), outlineOf(held)])
    return one !== undefined && other?.id === one.id && compareManifestOrder(other, one) >= 0
  }
}

/**
 * Positive when the peer's record is newer; negative when older, unreadable, or of another claim or owner. Two of the
 * largest manifests take 2 ms: use {@link satisfies} for what peers show.
 */
function compareToOwn(held: Uint8Array, own: OwnRecord, profile: NetworkProfile): number {
  try {
    return compared(own, held, profile)
  } catch (error) {
    if (error instanceof ProtocolError) return -1
    throw error
  }
}

function compared({ kind, bytes }: OwnRecord, held: Uint8Array, profile: NetworkProfile): number {
  switch (kind) {
    case 'reveal':
    case 'coded': {
      const [ours, theirs] = [orderOf(bytes, profile), orderOf(held, profile)]
      return equalBytes(ours.id, theirs.id) ? compareRecords(theirs, ours) : -1
    }
    case 'kid': {
      // Unverified: twenty logs would block the event loop for 20 ms each. Those that rely on the record verify it.
      const [ours, theirs] = [
        decodeIdentityEnvelope(bytes, profile).versions,
        decodeIdentityEnvelope(held, profile).versions
      ]
      const isOnTop = ours.every((version, index) => theirs[index] !== undefined && equalBytes(version, theirs[index]))
      return isOnTop ? theirs.length - ours.length : -1
    }
    case 'manifest':
      return compareManifests(decodeManifestRecord(held, profile), decodeManifestRecord(bytes, profile))
  }
}

function orderOf(bytes: Uint8Array, profile: NetworkProfile): RecordOrder & { id: Uint8Array } {
  const reveal = decodeReveal(bytes)
  return claimOf(reveal, parseName(reveal.name, profile), profile)
}

/** Rounds of sending and reading back before republishing takes over. */
const MAX_ROUNDS = 4

interface OutgoingRecord {
  readonly kind: RecordKind
  /** The name or DID. */
  readonly id: string
  readonly bytes: Uint8Array
  /** Whether a peer with these bytes is up to date: it holds them, or a newer record of ours. */
  readonly isSatisfiedBy: (bytes: Uint8Array) => Promise<boolean>
  /** Nothing is sent before it resolves. */
  readonly ready?: Promise<void>
}

/**
 * Stores a record at the peers that should hold it, and reads it back from each as soon as it has answered. Those are the
 * closest to its K, and the ones that look-ups of other keys near K find meanwhile.
 * The latter test that resolvers reach its holders [a look-up led astray]: in the first round more than half of those
 * that the look-up of K missed must show it, as well as more than half of all. Up to four rounds resend it to those that
 * lack it. In networks of up to k every look-up finds all, so only their own word counts. `storedBy` counts the diverse
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
  /** The latest put to each peer. */
  const puts = new Map<string, Promise<void>>()
  const send = async (to: Peer): Promise<void> => {
    note(to.peer, undefined)
    note(to.peer, await answerOrUndefined(askWithRetries(peers, to, { type: 'put', kind, record: bytes }, signal)))
  }
  const sendTo = (targets: readonly Peer[]): void => {
    for (const to of targets) {
      const answered = send(to)
      // Nobody may be left to read it back.
      answered.catch(() => undefined)
      puts.set(to.peer, answered)
    }
  }
  const readBack = async (peer: Peer): Promise<boolean> => {
    await puts.get(peer.peer)
    const answer = await answerOrUndefined(peers.ask(peer, { type: 'get', kind, key }, signal))
    return answer !== undefined && (await isHeld(answer, outgoing))
  }

  const finding = nearby(peers, key, parts.profile.k, signal)
  finding.catch(() => undefined)
  const [closest] = await Promise.all([peers.closest(preimage, signal), outgoing.ready])
  signal?.throwIfAborted()
  sendTo(closest)
  const readers = distinct(closest, await finding)
  const foundElsewhere = readers.filter(({ peer }) => !puts.has(peer))
  sendTo(foundElsewhere)
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
  for (let round = 1; ; round++) {
    const ownHold = countedSelf !== undefined && (await isHeld(countedSelf.get(kind, key), outgoing))
    const count = (holds: readonly (boolean | undefined)[]): number =>
      counted(readers.filter((_, index) => holds[index])) + (ownHold ? 1 : 0)
    // Liars among them cost one round more.
    const testers = round === 1 ? foundElsewhere : []
    const isStored = (holds: readonly (boolean | undefined)[]): boolean => {
      const held = testers.filter((peer) => holds[readers.indexOf(peer)])
      return count(holds) * 2 > of && (testers.length === 0 || counted(held) * 2 > counted(testers))
    }
    const holds = await waitForEnough(readers.map(readBack), isStored)
    const outcome = { storedBy: count(holds), of, refusals: [...refusals.values()] }
    // Not to peers that refused it, or stayed busy.
    const targets = readers.filter(({ peer }, index) => holds[index] === false && !isFinal(refusals.get(peer)?.code))
    if (isStored(holds) || round === MAX_ROUNDS || targets.length === 0) return outcome
    sendTo(targets)
  }
}

async function isHeld(answer: GetAnswer, { bytes, isSatisfiedBy }: OutgoingRecord): Promise<boolean> {
  const held = answer.type === 'entry' || answer.type === 'document' ? answer.record : undefined
  const notice = answer.type === 'entry' ? answer.notice?.record : undefined
  if ([held, notice].some((each) => each !== undefined && equalBytes(each, bytes))) return true
  // A notice has more changes than the record that is served, and does not stand for it.
  return held !== undefined && isSatisfiedBy(held)
}

function isFinal(code: string | undefined): boolean {
  return code !== undefined && code !== 'no-answer'
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
