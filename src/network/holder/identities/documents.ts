/** Identity logs and manifests that this node holds for the network. */
import type { Origin } from '../../../protocol/neighbourhood/diversity.ts'
import { type DocumentKind, keys, lastPart, prefixes } from '../../../store/keys.ts'
import type { PutAnswer } from '../../wire/records.ts'
import { Carriers } from './carriers.ts'
import { type DocumentHolderParts, OfferedIdentities, OfferedManifests } from './offered-documents.ts'
import { HeldDocuments } from './held-documents.ts'
import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { fromHex } from '../../../protocol/encoding/bytes.ts'
import type { Did } from '../../../protocol/identity/did.ts'
import { isManifestCurrent } from '../../../protocol/identity/manifest.ts'
import { profileHash } from '../../../protocol/profile/profile.ts'
import { recordKey } from '../../../protocol/neighbourhood/key-space.ts'
import { readOrSetAside } from '../../../store/stored-shapes.ts'
import { forEachConcurrently } from '../../../util/concurrency.ts'
import { type ClaimedIdentity, claimedIdentity, claimedManifest } from './claimed-document.ts'

export class DocumentHolder {
  readonly #held: HeldDocuments
  readonly #identities: OfferedIdentities
  readonly #manifests: OfferedManifests
  readonly #unkept: UnkeptDocuments

  constructor(parts: DocumentHolderParts) {
    const held = new HeldDocuments(parts)
    const carriers = new Carriers(parts)
    this.#held = held
    this.#identities = new OfferedIdentities(parts, held, carriers)
    this.#manifests = new OfferedManifests(parts, held, carriers)
    this.#unkept = new UnkeptDocuments(parts, held, carriers)
  }

  offerIdentity(bytes: Uint8Array, sender: Origin): Promise<PutAnswer> {
    return this.#identities.offer(bytes, sender)
  }

  offerManifest(bytes: Uint8Array, sender: Origin): Promise<PutAnswer> {
    return this.#manifests.offer(bytes, sender)
  }

  get(kind: DocumentKind, key: Uint8Array): Uint8Array | undefined {
    return this.#held.get(kind, key)
  }

  all(): IterableIterator<{ kind: DocumentKind; key: Uint8Array; record: Uint8Array }> {
    return this.#held.all()
  }

  count(): number {
    return this.#held.count()
  }

  /** Deletes identities that nothing carries, their manifests, and expired manifests. */
  dropUnkept(): Promise<void> {
    return this.#unkept.drop()
  }
}

/**
 * Checks elsewhere in one hourly round: manifests by their identity, identities by their name. Each costs a look-up and
 * k questions, a manifest up to five times that. The next round continues where this one ended.
 */
const MAX_ASKED = { manifests: 32, identities: 128 }

/**
 * Parallel checks. At twenty seconds each without any answer, all identities take eleven minutes and all manifests
 * thirteen.
 */
const ASKED_AT_ONCE = 4

class UnkeptDocuments {
  readonly #parts: DocumentHolderParts
  readonly #held: HeldDocuments
  readonly #carriers: Carriers
  readonly #hash: Uint8Array
  /** Where the last round ended. Random at the start, so that nodes that restart often reach all documents. */
  readonly #askedLast: { manifest: string; identity: string }

  constructor(parts: DocumentHolderParts, held: HeldDocuments, carriers: Carriers) {
    this.#parts = parts
    this.#held = held
    this.#carriers = carriers
    this.#hash = profileHash(parts.profile)
    const random = parts.random ?? randomBytes
    this.#askedLast = { manifest: keys.manifest(random(32)), identity: keys.identity(random(32)) }
  }

  /** One at a time, so that no request waits for it. */
  async drop(): Promise<void> {
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
        this.#held.dropManifest(keyOf(storeKey))
      await setImmediate()
    }
    if (clock.time().fresh) await this.#dropOrphans()
  }

  async #askAboutIdentities(all: readonly string[]): Promise<void> {
    const { store, profile, clock } = this.#parts
    const asked = behind(all, this.#askedLast.identity).slice(0, MAX_ASKED.identities)
    this.#askedLast.identity = asked.at(-1) ?? this.#askedLast.identity
    await forEachConcurrently(asked, ASKED_AT_ONCE, async (storeKey) => {
      const bytes = store.get(storeKey)
      if (bytes !== undefined && clock.time().fresh)
        await this.#reviseIdentity(storeKey, claimedIdentity(bytes, profile), bytes)
    })
  }

  /** Deletes manifests whose identity is gone everywhere: it may be held elsewhere only, under another key. */
  async #dropOrphans(): Promise<void> {
    const { store, profile } = this.#parts
    const orphans: { storeKey: string; bytes: Uint8Array; did: Did }[] = []
    for (const storeKey of behind([...store.keys(prefixes.manifests)], this.#askedLast.manifest)) {
      await setImmediate()
      const bytes = store.get(storeKey)
      if (bytes === undefined) continue
      const did = claimedManifest(bytes, profile).id
      if (this.#held.get('kid', recordKey('kid', did, this.#hash)) !== undefined) continue
      this.#askedLast.manifest = storeKey
      if (orphans.push({ storeKey, bytes, did }) === MAX_ASKED.manifests) break
    }
    await forEachConcurrently(orphans, ASKED_AT_ONCE, async ({ storeKey, bytes, did }) => {
      const { records, isAnswered } = await this.#parts.fetchIdentities(did)
      const key = keyOf(storeKey)
      if (isAnswered && (await this.#carriers.areForsaken(did, records)) && this.#held.has('manifest', key, bytes))
        this.#held.dropManifest(key)
    })
  }

  /**
   * Deletes an identity that no name with room and no stamp carries; records which of them does, since that may change.
   */
  async #reviseIdentity(storeKey: string, claimed: ClaimedIdentity, bytes: Uint8Array): Promise<void> {
    const key = keyOf(storeKey)
    const isForsaken = await this.#carriers.isForsaken(claimed)
    // Its replacement was checked on arrival.
    if (!this.#held.has('kid', key, bytes)) return
    const { name, stamp } = this.#carriers.of(claimed)
    const carrier = this.#held.carrierOf('kid', key, name)
    if (isForsaken || (carrier === undefined && stamp === undefined)) this.#held.dropIdentity(key)
    else if (carrier !== this.#held.nameOf(key)) this.#held.putIdentity(key, bytes, carrier, stamp)
  }
}

function keyOf(storeKey: string): Uint8Array {
  return fromHex(lastPart(storeKey))
}

/** The keys of `all` (ascending) in a circle, beginning behind `last`. */
function behind(all: readonly string[], last: string): string[] {
  const next = all.findIndex((each) => each > last)
  return next === -1 ? [...all] : [...all.slice(next), ...all.slice(0, next)]
}
