/**
 * Identity logs and manifests offered to this node: what carries them is looked at first, they are verified on another
 * thread.
 */
import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { DocumentJudge } from '../../../native/types.ts'
import type { Urgency } from '../../../native/urgency.ts'
import { equalBytes, fromHex, toHex } from '../../../protocol/encoding/bytes.ts'
import type { Origin } from '../../../protocol/neighbourhood/diversity.ts'
import { ProtocolError } from '../../../protocol/errors.ts'
import type { ManifestOutline } from '../../../protocol/identity/judge-documents.ts'
import { mergeKidLogs } from '../../../protocol/identity/kid-log.ts'
import type { KidRecordOutline } from '../../../protocol/identity/kid-record.ts'
import type { Did } from '../../../protocol/identity/kid.ts'
import { compareManifestOrder, isManifestCurrent } from '../../../protocol/identity/manifest.ts'
import { profileHash, type NetworkProfile } from '../../../protocol/profile/profile.ts'
import { recordKey } from '../../../protocol/claim/record-key.ts'
import { keys, lastPart, prefixes, type DocumentKind } from '../../../store/keys.ts'
import { readOrSetAside } from '../../../store/read-or-set-aside.ts'
import type { Store } from '../../../store/types.ts'
import { eachAtOnce } from '../../../util/for-each-concurrently.ts'
import type { FoundDocuments } from '../../types.ts'
import { ASK_MS, documentMs, WRITE_MS, type Budget, type Work } from '../../budget/budget.ts'
import type { RoundClock } from '../../../time/round-clock.ts'
import { BUSY, refused } from '../../wire/answers.ts'
import type { PutAnswer } from '../../wire/put.ts'
import { Carriers } from './carriers.ts'
import { claimedIdentity, claimedManifest, readable, type ClaimedIdentity } from './claimed-document.ts'
import { KeyedMutex } from '../../../util/keyed-mutex.ts'
import { DocumentsOfNames } from './documents-by-name.ts'
import { OURSELVES } from '../ourselves.ts'
import type { Owners } from './name-owner.ts'
import type { Room } from '../room.ts'
import type { Stamped, StampedIdentities } from './stamped.ts'

const STORED: PutAnswer = { type: 'stored' }
const FULL = refused('full', 'no room is left here for documents')

/** Identity records of one DID that a manifest is tried against: every holder that lies has another one. */
const MAX_IDENTITIES_TRIED = 4

/**
 * Manifests whose identity is asked for elsewhere in one hourly round, and identities whose name is; each is a look-up
 * and k questions, up to five for a manifest. The next round goes on where this one ended.
 */
const MAX_ASKED = { manifests: 32, identities: 128 }

/**
 * Asked for at the same time: twenty seconds each where nobody answers, which makes eleven minutes of all identities
 * and thirteen of all manifests.
 */
const ASKED_AT_ONCE = 4

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
  /**
   * Identity records of a DID that other nodes hold, and whether enough have answered to tell that there are no others.
   */
  readonly fetchIdentities: (did: string) => Promise<FoundDocuments>
  readonly onStored: (did: string, kind: DocumentKind) => void
}

interface IncomingIdentity {
  readonly key: Uint8Array
  readonly bytes: Uint8Array
  readonly incoming: KidRecordOutline
  /** The name that carries it, by itself or beside a stamp. */
  readonly name: string | undefined
  readonly stamp: Stamped | undefined
  readonly isOurs: boolean
}

interface IncomingManifest {
  readonly key: Uint8Array
  readonly bytes: Uint8Array
  readonly manifest: ManifestOutline
  /** The name that carries its identity; undefined where a stamp alone does. */
  readonly name: string | undefined
  readonly isOurs: boolean
}

export class DocumentHolder {
  readonly #parts: DocumentHolderParts
  readonly #hash: Uint8Array
  readonly #carriers: Carriers
  readonly #identities: DocumentsOfNames
  readonly #manifests: DocumentsOfNames
  readonly #mutex = new KeyedMutex()
  #manifestCount: number
  /** What the last round of questions ended with; at the start any, so that those of restarted nodes come up too. */
  readonly #askedLast = { manifest: keys.manifest(randomBytes(32)), identity: keys.identity(randomBytes(32)) }

  constructor(parts: DocumentHolderParts) {
    this.#parts = parts
    this.#hash = profileHash(parts.profile)
    this.#manifestCount = parts.store.count(prefixes.manifests)
    this.#carriers = new Carriers(parts)
    this.#identities = new DocumentsOfNames(parts.store, 'kid')
    this.#manifests = new DocumentsOfNames(parts.store, 'manifest')
  }

  /**
   * Takes a log or says why not. Whether anything carries it is asked before it is verified, so that what nobody is to
   * keep costs next to nothing.
   */
  async offerIdentity(bytes: Uint8Array, sender: Origin): Promise<PutAnswer> {
    const claimed = readable(() => claimedIdentity(bytes, this.#parts.profile))
    if (claimed instanceof ProtocolError) return refused('invalid', claimed.message)
    const key = recordKey('kid', claimed.log.did, this.#hash)
    if (!this.#parts.isNear(key))
      return refused('not-neighbour', 'this node is not among those that store this identity')
    if (this.#holds('kid', key, bytes)) return STORED
    const isOwners = this.#carriers.isBoundHere(claimed)
    return this.#withBudget(sender, bytes, isOwners, async (urgency, work) => {
      if (!isOwners && !(await this.#carriers.isCarried(claimed, work)))
        return refused('unbound', 'neither a live name nor a fresh stamp carries this document')
      const judged = await this.#parts.judge.judgeIdentity(bytes, this.#parts.profile, urgency)
      if (!judged.ok) return refused('invalid', `${judged.rule}: ${judged.detail}`)
      return this.#mutex.run(toHex(key), () =>
        this.#mergeIdentity(
          { key, bytes, incoming: judged.value, ...this.#carriers.of(claimed), isOurs: sender === OURSELVES },
          urgency,
          work
        )
      )
    })
  }

  async offerManifest(bytes: Uint8Array, sender: Origin): Promise<PutAnswer> {
    const { profile, clock, judge, isNear } = this.#parts
    const claimed = readable(() => claimedManifest(bytes, profile))
    if (claimed instanceof ProtocolError) return refused('invalid', claimed.message)
    const key = recordKey('manifest', claimed.id, this.#hash)
    if (!isNear(key)) return refused('not-neighbour', 'this node is not among those that store this manifest')
    if (this.#holds('manifest', key, bytes)) return STORED
    if (!isManifestCurrent(claimed, clock.nowMs()))
      return refused('dead', 'validUntil has passed, or validFrom is still to come')
    const isExpected = this.get('kid', recordKey('kid', claimed.id, this.#hash)) !== undefined
    return this.#withBudget(sender, bytes, isExpected, async (urgency, work) => {
      const judged = await judge.judgeManifest(bytes, profile, urgency)
      if (!judged.ok) return refused('invalid', `${judged.rule}: ${judged.detail}`)
      const speaker = await this.#speakerOf(judged.value.id, bytes, urgency, work)
      if ('type' in speaker) return speaker
      return this.#mutex.run(toHex(key), () =>
        this.#replaceManifest(
          { key, bytes, manifest: judged.value, ...speaker, isOurs: sender === OURSELVES },
          urgency,
          work
        )
      )
    })
  }

  get(kind: DocumentKind, key: Uint8Array): Uint8Array | undefined {
    return this.#parts.store.get(kind === 'kid' ? keys.identity(key) : keys.manifest(key))
  }

  /** All that are held. */
  *all(): IterableIterator<{ kind: DocumentKind; key: Uint8Array; record: Uint8Array }> {
    const { store } = this.#parts
    for (const [storeKey, record] of store.list(prefixes.identities))
      yield { kind: 'kid', key: fromHex(lastPart(storeKey)), record }
    for (const [storeKey, record] of store.list(prefixes.manifests))
      yield { kind: 'manifest', key: fromHex(lastPart(storeKey)), record }
  }

  count(): number {
    return this.#parts.stamped.identities + this.#manifestCount
  }

  /**
   * Deletes identities that nothing carries any more, their manifests, and manifests whose time is over, one at a time:
   * nobody is to wait for it.
   */
  async dropUnkept(): Promise<void> {
    const { store, profile, clock } = this.#parts
    const toAsk: string[] = []
    for (const [storeKey, bytes] of store.list(prefixes.identities)) {
      const claimed = readOrSetAside(store, storeKey, bytes, (record) => claimedIdentity(record, profile))
      if (claimed !== undefined && this.#carriers.isKnownElsewhere(claimed)) toAsk.push(storeKey)
      else if (claimed !== undefined && clock.time().fresh) await this.#reviseIdentity(storeKey, claimed, bytes)
      await setImmediate()
    }
    await this.#askAboutIdentities(toAsk)
    for (const [storeKey, bytes] of store.list(prefixes.manifests)) {
      const claimed = readOrSetAside(store, storeKey, bytes, (record) => claimedManifest(record, profile))
      if (claimed !== undefined && clock.time().fresh && !isManifestCurrent(claimed, clock.nowMs()))
        this.#dropManifest(storeKey)
      await setImmediate()
    }
    if (clock.time().fresh) await this.#dropOrphans()
  }

  async #askAboutIdentities(all: readonly string[]): Promise<void> {
    const { store, profile, clock } = this.#parts
    const asked = behind(all, this.#askedLast.identity).slice(0, MAX_ASKED.identities)
    this.#askedLast.identity = asked.at(-1) ?? this.#askedLast.identity
    await eachAtOnce(asked, ASKED_AT_ONCE, async (storeKey) => {
      const bytes = store.get(storeKey)
      if (bytes !== undefined && clock.time().fresh)
        await this.#reviseIdentity(storeKey, claimedIdentity(bytes, profile), bytes)
    })
  }

  /** Deletes manifests whose identity nobody keeps any more. It may be kept elsewhere only: it has another key. */
  async #dropOrphans(): Promise<void> {
    const { store, profile } = this.#parts
    const orphans: { storeKey: string; bytes: Uint8Array; did: Did }[] = []
    for (const storeKey of behind([...store.keys(prefixes.manifests)], this.#askedLast.manifest)) {
      await setImmediate()
      const bytes = store.get(storeKey)
      if (bytes === undefined) continue
      const did = claimedManifest(bytes, profile).id
      if (this.get('kid', recordKey('kid', did, this.#hash)) !== undefined) continue
      this.#askedLast.manifest = storeKey
      if (orphans.push({ storeKey, bytes, did }) === MAX_ASKED.manifests) break
    }
    await eachAtOnce(orphans, ASKED_AT_ONCE, async ({ storeKey, bytes, did }) => {
      const { records, isAnswered } = await this.#parts.fetchIdentities(did)
      if (
        isAnswered &&
        (await this.#carriers.areForsaken(did, records)) &&
        this.#holds('manifest', fromHex(lastPart(storeKey)), bytes)
      )
        this.#dropManifest(storeKey)
    })
  }

  /**
   * Deletes an identity unless a name that carries no more than it may, or a stamp, carries it; which of them it is may
   * have changed.
   */
  async #reviseIdentity(storeKey: string, claimed: ClaimedIdentity, bytes: Uint8Array): Promise<void> {
    const id = lastPart(storeKey)
    const isForsaken = await this.#carriers.isForsaken(claimed)
    // What has replaced it meanwhile was looked at then.
    if (!this.#holds('kid', fromHex(id), bytes)) return
    const { name, stamp } = this.#carriers.of(claimed)
    const carrier = name !== undefined && this.#identities.hasPlace(id, name) ? name : undefined
    if (isForsaken || (carrier === undefined && stamp === undefined)) this.#dropIdentity(id)
    else if (carrier !== this.#identities.nameOf(id)) this.#writeIdentity(id, bytes, carrier, stamp)
  }

  /** `stamp` counts where no name carries it. */
  #writeIdentity(id: string, bytes: Uint8Array, name: string | undefined, stamp: Stamped | undefined): void {
    this.#parts.stamped.put(fromHex(id), bytes, name === undefined ? stamp : undefined, this.#identities.mark(id, name))
    this.#identities.note(id, name)
  }

  #dropIdentity(id: string): void {
    this.#parts.stamped.delete(fromHex(id), this.#identities.mark(id, undefined))
    this.#identities.note(id, undefined)
  }

  #dropManifest(storeKey: string): void {
    const id = lastPart(storeKey)
    const wasThere = this.#parts.store.get(storeKey) !== undefined
    this.#parts.store.batch([{ delete: storeKey }, this.#manifests.mark(id, undefined)])
    if (wasThere) this.#manifestCount--
    this.#manifests.note(id, undefined)
  }

  #holds(kind: DocumentKind, key: Uint8Array, bytes: Uint8Array): boolean {
    const held = this.get(kind, key)
    return held !== undefined && equalBytes(held, bytes)
  }

  async #mergeIdentity(
    { key, bytes, incoming, name, stamp, isOurs }: IncomingIdentity,
    urgency: Urgency,
    work: Work
  ): Promise<PutAnswer> {
    const standingBytes = this.get('kid', key)
    if (standingBytes !== undefined) {
      work.charge(documentMs(standingBytes.length))
      const standing = await this.#parts.judge.judgeIdentity(standingBytes, this.#parts.profile, urgency)
      // One that does not verify by today's rules stands in nobody's way.
      if (
        standing.ok &&
        mergeKidLogs(standing.value.log, incoming.log).kind === 'stale' &&
        !refreshes(standing.value, incoming)
      )
        return { type: 'stale', record: standingBytes }
    }
    const { room } = this.#parts
    const id = toHex(key)
    const carrier = name !== undefined && this.#identities.hasPlace(id, name) ? name : undefined
    const isCarried = carrier !== undefined || stamp !== undefined
    const hasRoom = (): boolean =>
      standingBytes !== undefined || (carrier === undefined ? room.forStamped(stamp!) : room.forDocument())
    if (!isOurs && !(isCarried && hasRoom())) return FULL
    work.charge(WRITE_MS)
    this.#writeIdentity(id, bytes, carrier, stamp)
    this.#parts.onStored(incoming.log.did, 'kid')
    return STORED
  }

  async #replaceManifest(
    { key, bytes, manifest, name, isOurs }: IncomingManifest,
    urgency: Urgency,
    work: Work
  ): Promise<PutAnswer> {
    const standingBytes = this.get('manifest', key)
    if (standingBytes !== undefined) {
      work.charge(documentMs(standingBytes.length))
      const standing = await this.#parts.judge.judgeManifest(standingBytes, this.#parts.profile, urgency)
      const order = standing.ok ? compareManifestOrder(manifest, standing.value) : 1
      if (order < 0) return { type: 'stale', record: standingBytes }
      if (order === 0) return STORED
    }
    const { room, store } = this.#parts
    const id = toHex(key)
    const carrier = name !== undefined && this.#manifests.hasPlace(id, name) ? name : undefined
    const hasRoom = (): boolean =>
      carrier === undefined ? room.forStampedManifest(this.#manifestCount) : room.forDocument()
    if (standingBytes === undefined && !isOurs && !hasRoom()) return FULL
    work.charge(WRITE_MS)
    store.batch([{ put: keys.manifest(key), value: bytes }, this.#manifests.mark(id, carrier)])
    if (standingBytes === undefined) this.#manifestCount++
    this.#manifests.note(id, carrier)
    this.#parts.onStored(manifest.id, 'manifest')
    return STORED
  }

  /**
   * The identity that a manifest speaks for, or why it is not taken. The log may be held here or elsewhere: identities
   * and manifests have different keys.
   */
  async #speakerOf(
    did: Did,
    manifest: Uint8Array,
    urgency: Urgency,
    work: Work
  ): Promise<Pick<IncomingManifest, 'name'> | PutAnswer> {
    const own = this.get('kid', recordKey('kid', did, this.#hash))
    if (own === undefined) work.charge(ASK_MS)
    const { records, isAnswered } =
      own === undefined ? await this.#parts.fetchIdentities(did) : { records: [own], isAnswered: true }
    // Where too few answer nobody knows yet, and whoever sends it again may find it taken.
    let problem: PutAnswer = isAnswered
      ? refused('unbound', 'no identity document of this manifest is known that a live name or a fresh stamp carries')
      : BUSY
    let tried = 0
    for await (const { record, name } of this.#carriers.carried(did, records, work)) {
      if (tried++ === MAX_IDENTITIES_TRIED) break
      work.charge(documentMs(manifest.length + record.length))
      const speaks = await this.#parts.judge.judgeSpeaker(manifest, record, this.#parts.profile, urgency)
      if (speaks.ok) return { name }
      // A node that has not seen the newest document cannot tell an invalid manifest from a new one: no offence.
      problem = refused('unbound', `${speaks.rule}: ${speaks.detail}`)
    }
    return problem
  }

  async #withBudget(
    sender: Origin,
    bytes: Uint8Array,
    expected: boolean,
    action: (urgency: Urgency, work: Work) => Promise<PutAnswer>
  ): Promise<PutAnswer> {
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

/** From the key behind `last` on, and at the end from the first. `all` ascends. */
function behind(all: readonly string[], last: string): string[] {
  const next = all.findIndex((each) => each > last)
  return next === -1 ? [...all] : [...all.slice(next), ...all.slice(0, next)]
}

/** Whether a record with the same log has a newer stamp or another binding: both were checked before. */
function refreshes(standing: KidRecordOutline, incoming: KidRecordOutline): boolean {
  const [head, other] = [standing.log.versions.at(-1)!, incoming.log.versions.at(-1)!]
  if (!equalBytes(head.hash, other.hash)) return false
  if ((incoming.stamp?.round ?? 0) > (standing.stamp?.round ?? 0)) return true
  const { binding } = incoming
  return (
    binding !== undefined &&
    (standing.binding === undefined || !equalBytes(binding.signature, standing.binding.signature))
  )
}
