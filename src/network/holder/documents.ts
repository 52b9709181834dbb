/** Identity logs and manifests offered to this node: what carries them is looked at first, they are verified on another thread. */
import { setImmediate } from 'node:timers/promises'
import type { DocumentJudge } from '../../native/types.ts'
import type { Urgency } from '../../native/urgency.ts'
import { equalBytes, fromHex, toHex } from '../../protocol/bytes.ts'
import type { Claim } from '../../protocol/claim.ts'
import type { Origin } from '../../protocol/diversity.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import type { ManifestOutline } from '../../protocol/judge-documents.ts'
import { verifyKidBinding, type KidBinding } from '../../protocol/kid-binding.ts'
import { mergeKidLogs } from '../../protocol/kid-log.ts'
import { documentStampSubject, isKept, type KidRecordOutline } from '../../protocol/kid-record.ts'
import type { Did } from '../../protocol/kid.ts'
import { compareManifestOrder, isManifestCurrent } from '../../protocol/manifest.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile.ts'
import { recordKey } from '../../protocol/record-key.ts'
import { stampWork } from '../../protocol/stamp.ts'
import { keys, lastPart, prefixes } from '../../store/keys.ts'
import type { Store } from '../../store/types.ts'
import { ASK_MS, documentMs, WRITE_MS, type Budget, type Work } from '../budget.ts'
import type { RoundClock } from '../clock.ts'
import { BUSY, refused } from '../protocol/answers.ts'
import type { PutAnswer } from '../protocol/put.ts'
import { claimedIdentity, claimedManifest, type ClaimedIdentity } from './claimed-document.ts'
import { KeyedMutex } from './keyed-mutex.ts'
import { OURSELVES } from './ourselves.ts'
import type { Owners } from './owner.ts'
import type { Room } from './room.ts'
import type { Stamped, StampedIdentities } from './stamped.ts'

const STORED: PutAnswer = { type: 'stored' }
const FULL = refused('full', 'no room is left here for documents')

/** Identity records of one DID that a manifest is tried against: every holder that lies has another one. */
const MAX_IDENTITIES_TRIED = 4

export type DocumentKind = 'kid' | 'manifest'

export interface DocumentHolderParts {
  readonly profile: NetworkProfile
  readonly clock: RoundClock
  readonly store: Store
  readonly budget: Budget
  readonly room: Room
  readonly stamped: StampedIdentities
  readonly judge: DocumentJudge
  readonly isNear: (key: Uint8Array) => boolean
  readonly owners: Owners
  /** Identity records of a DID that other nodes hold. */
  readonly fetchIdentities: (did: string) => Promise<Uint8Array[]>
  readonly onStored: (did: string, kind: DocumentKind) => void
}

interface IncomingIdentity {
  readonly key: Uint8Array
  readonly bytes: Uint8Array
  readonly incoming: KidRecordOutline
  /** Undefined where a name carries it. */
  readonly stamped: Stamped | undefined
  readonly isOurs: boolean
}

interface IncomingManifest {
  readonly key: Uint8Array
  readonly bytes: Uint8Array
  readonly manifest: ManifestOutline
  readonly isOurs: boolean
}

export class DocumentHolder {
  readonly #parts: DocumentHolderParts
  readonly #hash: Uint8Array
  readonly #mutex = new KeyedMutex()

  constructor(parts: DocumentHolderParts) {
    this.#parts = parts
    this.#hash = profileHash(parts.profile)
  }

  /** Takes a log or says why not. Whether anything carries it is asked before it is verified, so that what nobody is to keep costs next to nothing. */
  async offerIdentity(bytes: Uint8Array, sender: Origin): Promise<PutAnswer> {
    const claimed = readable(() => claimedIdentity(bytes, this.#parts.profile))
    if (claimed instanceof ProtocolError) return refused('invalid', claimed.message)
    const key = recordKey('kid', claimed.log.did, this.#hash)
    if (!this.#parts.isNear(key)) return refused('not-neighbour', 'this node is not among those that store this identity')
    if (this.#holds('kid', key, bytes)) return STORED
    const isOwners = this.#isBoundHere(claimed)
    return this.#withBudget(sender, bytes, isOwners, async (urgency, work) => {
      if (!isOwners && !(await this.#isCarried(claimed, work))) return refused('unbound', 'neither a live name nor a fresh stamp carries this document')
      const judged = await this.#parts.judge.judgeIdentity(bytes, this.#parts.profile, urgency)
      if (!judged.ok) return refused('invalid', judged.detail)
      return this.#mutex.run(toHex(key), () => this.#mergeIdentity({ key, bytes, incoming: judged.value, stamped: isOwners ? undefined : this.#stampOf(claimed), isOurs: sender === OURSELVES }, urgency, work))
    })
  }

  async offerManifest(bytes: Uint8Array, sender: Origin): Promise<PutAnswer> {
    const { profile, clock, judge, isNear } = this.#parts
    const claimed = readable(() => claimedManifest(bytes, profile))
    if (claimed instanceof ProtocolError) return refused('invalid', claimed.message)
    const key = recordKey('manifest', claimed.id, this.#hash)
    if (!isNear(key)) return refused('not-neighbour', 'this node is not among those that store this manifest')
    if (this.#holds('manifest', key, bytes)) return STORED
    if (!isManifestCurrent(claimed, clock.nowMs())) return refused('dead', 'validUntil has passed, or validFrom is still to come')
    const isExpected = this.get('kid', recordKey('kid', claimed.id, this.#hash)) !== undefined
    return this.#withBudget(sender, bytes, isExpected, async (urgency, work) => {
      const judged = await judge.judgeManifest(bytes, profile, urgency)
      if (!judged.ok) return refused('invalid', judged.detail)
      const problem = await this.#problemOfManifest(judged.value.id, bytes, urgency, work)
      if (problem !== undefined) return problem
      return this.#mutex.run(toHex(key), () => this.#replaceManifest({ key, bytes, manifest: judged.value, isOurs: sender === OURSELVES }, urgency, work))
    })
  }

  get(kind: DocumentKind, key: Uint8Array): Uint8Array | undefined {
    return this.#parts.store.get(kind === 'kid' ? keys.identity(key) : keys.manifest(key))
  }

  /** All that are held. */
  *all(): IterableIterator<{ kind: DocumentKind; key: Uint8Array; record: Uint8Array }> {
    const { store } = this.#parts
    for (const [storeKey, record] of store.list(prefixes.identities)) yield { kind: 'kid', key: fromHex(lastPart(storeKey)), record }
    for (const [storeKey, record] of store.list(prefixes.manifests)) yield { kind: 'manifest', key: fromHex(lastPart(storeKey)), record }
  }

  count(): number {
    return this.#parts.store.count(prefixes.identities) + this.#parts.store.count(prefixes.manifests)
  }

  /** Deletes identities that nothing carries any more, and manifests whose time is over, one at a time: nobody is to wait for it. */
  async dropUnkept(): Promise<void> {
    const { store, profile, clock } = this.#parts
    for (const [storeKey, bytes] of store.list(prefixes.identities)) {
      if (clock.time().fresh && !(await this.#isCarried(claimedIdentity(bytes, profile)))) this.#parts.stamped.delete(fromHex(lastPart(storeKey)))
      await setImmediate()
    }
    for (const [storeKey, bytes] of store.list(prefixes.manifests)) {
      if (clock.time().fresh && !isManifestCurrent(claimedManifest(bytes, profile), clock.nowMs())) store.delete(storeKey)
      await setImmediate()
    }
  }

  #holds(kind: DocumentKind, key: Uint8Array, bytes: Uint8Array): boolean {
    const held = this.get(kind, key)
    return held !== undefined && equalBytes(held, bytes)
  }

  async #mergeIdentity({ key, bytes, incoming, stamped, isOurs }: IncomingIdentity, urgency: Urgency, work: Work): Promise<PutAnswer> {
    const standingBytes = this.get('kid', key)
    if (standingBytes !== undefined) {
      work.charge(documentMs(standingBytes.length))
      const standing = await this.#parts.judge.judgeIdentity(standingBytes, this.#parts.profile, urgency)
      // One that does not verify by today's rules stands in nobody's way.
      if (standing.ok && mergeKidLogs(standing.value.log, incoming.log).kind === 'stale' && !refreshes(standing.value, incoming)) return { type: 'stale', record: standingBytes }
    }
    const { room } = this.#parts
    if (standingBytes === undefined && !isOurs && !(stamped === undefined ? room.forDocument() : room.forStamped(stamped))) return FULL
    work.charge(WRITE_MS)
    this.#parts.stamped.put(key, bytes, stamped)
    this.#parts.onStored(incoming.log.did, 'kid')
    return STORED
  }

  async #replaceManifest({ key, bytes, manifest, isOurs }: IncomingManifest, urgency: Urgency, work: Work): Promise<PutAnswer> {
    const standingBytes = this.get('manifest', key)
    if (standingBytes !== undefined) {
      work.charge(documentMs(standingBytes.length))
      const standing = await this.#parts.judge.judgeManifest(standingBytes, this.#parts.profile, urgency)
      const order = standing.ok ? compareManifestOrder(manifest, standing.value) : 1
      if (order < 0) return { type: 'stale', record: standingBytes }
      if (order === 0) return STORED
    }
    if (standingBytes === undefined && !isOurs && !this.#parts.room.forDocument()) return FULL
    work.charge(WRITE_MS)
    this.#parts.store.put(keys.manifest(key), bytes)
    this.#parts.onStored(manifest.id, 'manifest')
    return STORED
  }

  /** The log may be held here or elsewhere: identities and manifests have different keys. */
  async #problemOfManifest(did: Did, manifest: Uint8Array, urgency: Urgency, work: Work): Promise<PutAnswer | undefined> {
    const own = this.get('kid', recordKey('kid', did, this.#hash))
    if (own === undefined) work.charge(ASK_MS)
    const records = own === undefined ? await this.#parts.fetchIdentities(did) : [own]
    let problem: PutAnswer = refused('unbound', 'the identity document of this manifest is not known')
    for (const bytes of records.slice(0, MAX_IDENTITIES_TRIED)) {
      work.charge(documentMs(manifest.length + bytes.length))
      const speaks = await this.#parts.judge.judgeSpeaker(manifest, bytes, this.#parts.profile, urgency)
      if (speaks.ok) return undefined
      // A node that has not seen the newest document cannot tell an invalid manifest from a new one: no offence.
      problem = refused('unbound', speaks.detail)
    }
    return problem
  }

  /** Whether a stamp or a live name carries it; who owns a name of another neighbourhood is asked there. */
  async #isCarried(claimed: ClaimedIdentity, work?: Work): Promise<boolean> {
    if (this.#isBoundHere(claimed)) return true
    const { profile, clock, owners } = this.#parts
    if (isKept(claimed, { time: clock.time(), isBoundToLiveName: false }, profile)) return true
    if (claimed.binding === undefined || owners.here(claimed.binding.name) !== undefined) return false
    work?.charge(ASK_MS)
    return this.#binds(claimed.binding, claimed.log.did, await owners.elsewhere(claimed.binding.name))
  }

  /** Of an identity that is carried: its stamp, unless a name carries it. */
  #stampOf(claimed: ClaimedIdentity): Stamped | undefined {
    const { stamp, log } = claimed
    const { profile, clock } = this.#parts
    if (stamp === undefined || !isKept(claimed, { time: clock.time(), isBoundToLiveName: false }, profile)) return undefined
    return { work: stampWork(documentStampSubject(log.did, stamp.round, this.#hash), stamp.nonce, this.#hash), round: stamp.round }
  }

  /** Whether it is bound to a name whose owner is known here. */
  #isBoundHere({ binding, log }: ClaimedIdentity): boolean {
    return binding !== undefined && this.#binds(binding, log.did, this.#parts.owners.here(binding.name))
  }

  #binds(binding: KidBinding, did: Did, claim: Claim | undefined): boolean {
    return claim !== undefined && verifyKidBinding(binding, did, claim, this.#hash)
  }

  async #withBudget(sender: Origin, bytes: Uint8Array, expected: boolean, action: (urgency: Urgency, work: Work) => Promise<PutAnswer>): Promise<PutAnswer> {
    if (sender === OURSELVES) return action('own', { charge: () => undefined, end: () => undefined })
    const work = this.#parts.budget.begin(sender, expected, bytes.length, documentMs(bytes.length))
    if (work === undefined) return BUSY
    try {
      return await action(expected ? 'expected' : 'unexpected', work)
    } finally {
      work.end()
    }
  }
}

/** Whether a record with the same log has a newer stamp or another binding: both were checked before. */
function refreshes(standing: KidRecordOutline, incoming: KidRecordOutline): boolean {
  const [head, other] = [standing.log.versions.at(-1)!, incoming.log.versions.at(-1)!]
  if (!equalBytes(head.hash, other.hash)) return false
  if ((incoming.stamp?.round ?? 0) > (standing.stamp?.round ?? 0)) return true
  const { binding } = incoming
  return binding !== undefined && (standing.binding === undefined || !equalBytes(binding.signature, standing.binding.signature))
}

/** The result, or what the rules threw. */
function readable<T>(action: () => T): T | ProtocolError {
  try {
    return action()
  } catch (error) {
    if (error instanceof ProtocolError) return error
    throw error
  }
}
