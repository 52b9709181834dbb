/** Identity logs and manifests offered to this node. */
import { equalBytes, fromHex, toHex } from '../../protocol/bytes.ts'
import { EncodingError, ProtocolError } from '../../protocol/errors.ts'
import { verifyKidBinding, type KidBinding } from '../../protocol/kid-binding.ts'
import { mergeKidLogs } from '../../protocol/kid-log.ts'
import { decodeKidRecord, isKept, type KidRecord } from '../../protocol/kid-record.ts'
import type { Did } from '../../protocol/kid.ts'
import { compareManifests, decodeManifestRecord, isManifestCurrent, verifyManifest, type Manifest } from '../../protocol/manifest.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile.ts'
import { recordKey } from '../../protocol/record-key.ts'
import { keys, lastPart, prefixes } from '../../store/keys.ts'
import type { Store } from '../../store/types.ts'
import type { RoundClock } from '../clock.ts'
import { BUSY, refused } from '../protocol/answers.ts'
import type { PutAnswer } from '../protocol/put.ts'
import type { VerificationBudget } from './budget.ts'
import { KeyedMutex } from './keyed-mutex.ts'
import { OURSELVES } from './reveals.ts'
import type { OwnerLookup } from './owner.ts'

const STORED: PutAnswer = { type: 'stored' }

export interface DocumentHolderParts {
  readonly profile: NetworkProfile
  readonly clock: RoundClock
  readonly store: Store
  readonly budget: VerificationBudget
  readonly isNear: (key: Uint8Array) => boolean
  /** Who owns a name, as far as this node can tell. */
  readonly ownerOf: OwnerLookup
  /** Identity records of a DID that other nodes hold. */
  readonly fetchIdentities: (did: string) => Promise<Uint8Array[]>
  readonly onStored: (did: string, kind: 'kid' | 'manifest') => void
}

export class DocumentHolder {
  readonly #parts: DocumentHolderParts
  readonly #hash: Uint8Array
  readonly #mutex = new KeyedMutex()

  constructor(parts: DocumentHolderParts) {
    this.#parts = parts
    this.#hash = profileHash(parts.profile)
  }

  async offerIdentity(bytes: Uint8Array, peer: string): Promise<PutAnswer> {
    return this.#withBudget(peer, async () => {
      const record = decoded(() => decodeKidRecord(bytes, this.#parts.profile))
      if (record instanceof ProtocolError) return refused('invalid', record.message)
      const key = recordKey('kid', record.log.did, this.#hash)
      if (!this.#parts.isNear(key)) return refused('not-neighbour', 'this node is not among those that store this identity')
      if (!(await this.#isKept(record))) return refused('unbound', 'neither a live name nor a fresh stamp carries this document')
      return this.#mutex.run(toHex(key), () => Promise.resolve(this.#mergeIdentity(key, record, bytes)))
    })
  }

  async offerManifest(bytes: Uint8Array, peer: string): Promise<PutAnswer> {
    return this.#withBudget(peer, async () => {
      const manifest = decoded(() => decodeManifestRecord(bytes, this.#parts.profile))
      if (manifest instanceof ProtocolError) return refused('invalid', manifest.message)
      const key = recordKey('manifest', manifest.id, this.#hash)
      if (!this.#parts.isNear(key)) return refused('not-neighbour', 'this node is not among those that store this manifest')
      if (!isManifestCurrent(manifest, this.#parts.clock.nowMs())) return refused('dead', 'validUntil has passed, or validFrom is still to come')
      const problem = await this.#problemOfManifest(manifest)
      if (problem !== undefined) return problem
      return this.#mutex.run(toHex(key), () => Promise.resolve(this.#replaceManifest(key, manifest, bytes)))
    })
  }

  get(kind: 'kid' | 'manifest', key: Uint8Array): Uint8Array | undefined {
    return this.#parts.store.get(kind === 'kid' ? keys.identity(key) : keys.manifest(key))
  }

  /** All that are held. */
  *all(): IterableIterator<{ kind: 'kid' | 'manifest'; key: Uint8Array; record: Uint8Array }> {
    const { store } = this.#parts
    for (const [storeKey, record] of store.list(prefixes.identities)) yield { kind: 'kid', key: fromHex(lastPart(storeKey)), record }
    for (const [storeKey, record] of store.list(prefixes.manifests)) yield { kind: 'manifest', key: fromHex(lastPart(storeKey)), record }
  }

  count(): number {
    return this.#parts.store.count(prefixes.identities) + this.#parts.store.count(prefixes.manifests)
  }

  /** Deletes identities that nothing carries any more, and manifests whose time is over. */
  async dropUnkept(): Promise<void> {
    const { store, profile, clock } = this.#parts
    for (const [storeKey, bytes] of store.list(prefixes.identities)) {
      if (clock.time().fresh && !(await this.#isKept(decodeKidRecord(bytes, profile)))) store.delete(storeKey)
    }
    for (const [storeKey, bytes] of store.list(prefixes.manifests)) {
      if (clock.time().fresh && !isManifestCurrent(decodeManifestRecord(bytes, profile), clock.nowMs())) store.delete(storeKey)
    }
  }

  #mergeIdentity(key: Uint8Array, record: KidRecord, bytes: Uint8Array): PutAnswer {
    const standingBytes = this.get('kid', key)
    if (standingBytes !== undefined) {
      if (equalBytes(standingBytes, bytes)) return STORED
      const standing = decodeKidRecord(standingBytes, this.#parts.profile)
      if (mergeKidLogs(standing.log, record.log).kind === 'stale' && !refreshes(standing, record)) return { type: 'stale', record: standingBytes }
    }
    this.#parts.store.put(keys.identity(key), bytes)
    this.#parts.onStored(record.log.did, 'kid')
    return STORED
  }

  #replaceManifest(key: Uint8Array, manifest: Manifest, bytes: Uint8Array): PutAnswer {
    const standingBytes = this.get('manifest', key)
    if (standingBytes !== undefined) {
      const order = compareManifests(manifest, decodeManifestRecord(standingBytes, this.#parts.profile))
      if (order < 0) return { type: 'stale', record: standingBytes }
      if (order === 0) return STORED
    }
    this.#parts.store.put(keys.manifest(key), bytes)
    this.#parts.onStored(manifest.id, 'manifest')
    return STORED
  }

  /** The log may be held here or elsewhere: identities and manifests have different keys. */
  async #problemOfManifest(manifest: Manifest): Promise<PutAnswer | undefined> {
    const own = this.get('kid', recordKey('kid', manifest.id, this.#hash))
    const records = own === undefined ? await this.#parts.fetchIdentities(manifest.id) : [own]
    let problem: PutAnswer = refused('unbound', 'the identity document of this manifest is not known')
    for (const bytes of records) {
      const failure = decoded(() => {
        verifyManifest(manifest, decodeKidRecord(bytes, this.#parts.profile).log)
      })
      if (failure === undefined) return undefined
      // A node that has not seen the newest document cannot tell an invalid manifest from a new one: no offence.
      problem = refused('unbound', failure.message)
    }
    return problem
  }

  async #isKept(record: KidRecord): Promise<boolean> {
    const isBoundToLiveName = record.binding !== undefined && (await this.#binds(record.binding, record.log.did))
    return isKept(record, { time: this.#parts.clock.time(), isBoundToLiveName }, this.#parts.profile)
  }

  async #binds(binding: KidBinding, did: Did): Promise<boolean> {
    const claim = await this.#parts.ownerOf(binding.name)
    return claim !== undefined && verifyKidBinding(binding, did, claim, this.#hash)
  }

  async #withBudget(peer: string, action: () => Promise<PutAnswer>): Promise<PutAnswer> {
    const release = this.#parts.budget.take(peer, peer === OURSELVES)
    if (release === undefined) return BUSY
    try {
      return await action()
    } finally {
      release()
    }
  }
}

/** Whether a record with the same log has a newer stamp or another binding: both were checked before. */
function refreshes(standing: KidRecord, incoming: KidRecord): boolean {
  const [head, other] = [standing.log.versions.at(-1)!, incoming.log.versions.at(-1)!]
  if (!equalBytes(head.hash, other.hash)) return false
  if ((incoming.stamp?.round ?? 0) > (standing.stamp?.round ?? 0)) return true
  const { binding } = incoming
  return binding !== undefined && (standing.binding === undefined || !equalBytes(binding.signature, standing.binding.signature))
}

/** The result, or what the rules threw. */
function decoded<T>(action: () => T): T | ProtocolError {
  try {
    return action()
  } catch (error) {
    if (error instanceof ProtocolError || error instanceof EncodingError) return error
    throw error
  }
}
