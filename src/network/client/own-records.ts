/** This daemon's own records. They are stored, and sent again even if every holder loses them. */
import { decodeIdentityEnvelope } from '../../protocol/identity/record.ts'
import { leaseState } from '../../protocol/time.ts'
import { decodeManifestRecord } from '../../protocol/identity/manifest.ts'
import { type NetworkProfile, profileHash } from '../../protocol/profile/profile.ts'
import { type RecordKind, recordKeyPreimage } from '../../protocol/neighbourhood/key-space.ts'
import { checkCodeOf, codedId } from '../../protocol/claim/check-code.ts'
import { decodeReveal } from '../../protocol/claim/reveal.ts'
import { keys, lastPart, prefixes } from '../../store/keys.ts'
import { readOrSetAside } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'
import type { RoundClock } from '../../time/clock.ts'
import { equalBytes, sha256 } from '../../protocol/encoding/bytes.ts'
import { waitForEnough } from '../../util/wait-for-enough.ts'
import type { Peer } from '../peers.ts'
import { answerOrUndefined } from '../wire/exchange.ts'
import type { GetAnswer } from '../wire/records.ts'
import { type ClientParts, askWithRetries, distinct, nearby, reachable } from './holders.ts'

export interface OwnRecord {
  readonly kind: RecordKind
  /** The name or DID. */
  readonly id: string
  readonly bytes: Uint8Array
}

export interface OwnRecordParts {
  readonly store: Store
  readonly clock: RoundClock
  readonly profile: NetworkProfile
}

/** A Reveal is stored once, for both of its places. */
export function rememberOwnRecord(store: Store, { kind, id, bytes }: OwnRecord): void {
  if (kind !== 'coded') store.put(keys.ownRecord(kind, id), bytes)
}

export function ownRecord(store: Store, kind: RecordKind, id: string): Uint8Array | undefined {
  return kind === 'coded' ? store.get(keys.ownRecord('reveal', nameOfCoded(id))) : store.get(keys.ownRecord(kind, id))
}

/** A Reveal for the place of its check code. Throws EncodingError. */
export function codedRecord({ id, bytes }: OwnRecord, profile: NetworkProfile): OwnRecord {
  return { kind: 'coded', id: codedId(id, checkCodeOf(decodeReveal(bytes), profile)), bytes }
}

function nameOfCoded(id: string): string {
  return id.slice(0, id.indexOf(' '))
}

export function forgetOwnRecord(store: Store, kind: RecordKind, id: string): void {
  if (kind !== 'coded') store.delete(keys.ownRecord(kind, id))
}

export function* ownRecords(store: Store): IterableIterator<OwnRecord> {
  for (const kind of ['reveal', 'kid', 'manifest'] as const) {
    for (const key of store.keys(prefixes.ownRecordsOf(kind))) {
      const bytes = store.get(key)
      if (bytes !== undefined) yield { kind, id: lastPart(key), bytes }
    }
  }
}

/**
 * Whether peers still accept it: before the end of lease and grace, or of validity. Sets unreadable records aside.
 * Throws StoreError.
 */
export function isStillAccepted(record: OwnRecord, { store, clock, profile }: OwnRecordParts): boolean {
  return (
    readOrSetAside(
      store,
      record.kind === 'coded'
        ? keys.ownRecord('reveal', nameOfCoded(record.id))
        : keys.ownRecord(record.kind, record.id),
      record.bytes,
      () => !isOver(record, clock, profile)
    ) ?? false
  )
}

function isOver({ kind, bytes }: OwnRecord, clock: RoundClock, profile: NetworkProfile): boolean {
  switch (kind) {
    case 'reveal':
    case 'coded':
      return leaseState(decodeReveal(bytes).drand_pulse, clock.time().lapse, profile).state === 'dead'
    case 'kid':
      decodeIdentityEnvelope(bytes, profile)
      return false
    case 'manifest': {
      const { validUntil } = decodeManifestRecord(bytes, profile)
      // By the clock, but only while pulses prove that it is not ahead.
      return clock.time().fresh && Date.parse(validUntil) < clock.nowMs()
    }
  }
}

/**
 * Resends a published record to holders that report another one or none.
 * Reports are not verified: a peer that lies about holding a record can as well discard it. Throws OfflineError, or the
 * signal's reason.
 */
export async function refresh(parts: ClientParts, { kind, id, bytes }: OwnRecord, signal?: AbortSignal): Promise<void> {
  const { peers, self } = reachable(parts)
  const preimage = recordKeyPreimage(kind, id, profileHash(parts.profile))
  const [key, digest] = [sha256(preimage), sha256(bytes)]
  const holders = distinct(
    ...(await Promise.all([peers.closest(preimage, signal), nearby(peers, key, parts.profile.k, signal)]))
  )
  const see = async (peer: Peer): Promise<boolean> => {
    const answer = await answerOrUndefined(askWithRetries(peers, peer, { type: 'get', kind, key, brief: true }, signal))
    if (answer === undefined) return false
    if (isHeld(answer, digest)) return true
    signal?.throwIfAborted()
    return (
      (await answerOrUndefined(askWithRetries(peers, peer, { type: 'put', kind, record: bytes }, signal))) !== undefined
    )
  }
  await waitForEnough(holders.map(see), (seen) => seen.filter(Boolean).length * 2 > holders.length)
  signal?.throwIfAborted()
  await self?.put(kind, bytes)
}

function isHeld(answer: GetAnswer, digest: Uint8Array): boolean {
  const held = answer.type === 'entry' || answer.type === 'digest' ? [answer.digest] : []
  if (answer.type === 'entry') held.push(answer.notice?.digest)
  return held.some((each) => each !== undefined && equalBytes(each, digest))
}

export class Republisher {
  readonly #store: Store
  readonly #client: ClientParts
  #underWay: { readonly id: string; readonly abort: AbortController } | undefined

  constructor(store: Store, client: ClientParts) {
    this.#store = store
    this.#client = client
  }

  /** Sends the stored version of the record, if it was not withdrawn since it was listed. Rejects as `refresh`. */
  async send({ kind, id }: OwnRecord): Promise<void> {
    const bytes = ownRecord(this.#store, kind, id)
    if (bytes === undefined) return
    const abort = new AbortController()
    this.#underWay = { id, abort }
    try {
      await refresh(this.#client, { kind, id, bytes }, abort.signal)
    } catch (error) {
      if (!abort.signal.aborted) throw error
    } finally {
      this.#underWay = undefined
    }
  }

  withdraw(name: string): void {
    if (this.#underWay?.id === name || this.#underWay?.id.startsWith(`${name} `) === true) this.#underWay.abort.abort()
  }
}
