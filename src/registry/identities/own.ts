/** The identities of this daemon: which they are, their stamps, and those of its seed that the network holds. */
import { equalBytes, sha256 } from '../../protocol/encoding/bytes.ts'
import { parseCanonicalJson } from '../../protocol/encoding/jcs.ts'
import { parseDid, type Did } from '../../protocol/identity/did.ts'
import { parseIdentityDocument, type IdentityDocument } from '../../protocol/identity/document.ts'
import { keyIndexOf, keyIndexOfLog } from '../../protocol/identity/seed.ts'
import {
  decodeIdentityEnvelope,
  documentStampSubject,
  encodeIdentityEnvelope,
  type IdentityBinding,
  type IdentityRecordEnvelope,
  signIdentityBinding,
  verifyIdentityBinding
} from '../../protocol/identity/record.ts'
import { lastPart, prefixes, keys } from '../../store/keys.ts'
import { readOrSetAside } from '../../store/stored-shapes.ts'
import type { OwnIdentityView } from '../../views/own.ts'
import { claimOf } from '../../protocol/claim/claim.ts'
import { changesIn } from '../../protocol/claim/reveal.ts'
import { withOwnKey, type RegistryContext } from '../context.ts'
import { isGone, type OwnedName } from '../stored/owned-names.ts'
import { SeenIdentities } from './seen-identities.ts'
import { requireMajority, stampFor } from '../publication/publishing.ts'
import { knownIdentity, findIdentity, findManifest } from './resolve.ts'
import { encodeManifestRecord } from '../../protocol/identity/manifest.ts'
import { RepeatedLook } from '../../time/repeated-look.ts'

/** In order of their DIDs. A damaged record is set aside. Throws StoreError. */
export function ownIdentities(context: RegistryContext): OwnIdentityView[] {
  const views: OwnIdentityView[] = []
  for (const [key, value] of [...context.store.list(prefixes.ownIdentities)]) {
    const view = readOrSetAside(context.store, key, value, (bytes) => viewOf(context, lastPart(key), bytes))
    if (view !== undefined) views.push(view)
  }
  return views
}

function viewOf(context: RegistryContext, did: string, bytes: Uint8Array): OwnIdentityView {
  const { profile, store, seed } = context
  const { versions, binding } = decodeIdentityEnvelope(bytes, profile)
  const read = (version: Uint8Array): IdentityDocument =>
    parseIdentityDocument(parseCanonicalJson(version, { maxBytes: profile.limits.kid_bytes }), profile)
  const [first, head] = [read(versions[0]!), read(versions.at(-1)!)]
  const seen = new SeenIdentities(store).get(parseDid(did, profile))?.versions.at(-1)
  const isSuperseded = seen !== undefined && !versions.some((version) => equalBytes(sha256(version), seen.hash))
  return {
    did,
    version: head.version,
    state: isSuperseded ? 'superseded' : head.deactivated === true ? 'deactivated' : 'active',
    created: instantOf(first),
    updated: instantOf(head),
    name: binding?.name ?? null,
    index: (seed.isLocked ? undefined : keyIndexOf(head, seed.require(), profile)) ?? null,
    services: head.service?.length ?? 0,
    recovery_keys: head.recoveryKeys?.length ?? 0
  }
}

/** Proofs may say up to nine digits of a second; milliseconds of them count. */
function instantOf({ proof }: IdentityDocument): string {
  return new Date(Date.parse(proof.created)).toISOString()
}

/**
 * Every record gets a stamp: it keeps the document where its name does not. Of a round that is certainly over: where
 * clocks differ, one dated after now would be none.
 */
export async function stamped(
  context: RegistryContext,
  did: Did,
  record: Pick<IdentityRecordEnvelope, 'versions' | 'binding'>
): Promise<Uint8Array> {
  const { verified, now } = context.time()
  const round = verified === 0 ? now : verified
  return encodeIdentityEnvelope({
    ...record,
    stamp: { round, nonce: await stampFor(context, documentStampSubject(did, round, context.profileHash)) }
  })
}

/**
 * Publishes an identity of ours again with a new stamp once half of the time that the present one gives has passed, and
 * with a new word of its name once the keys of that have changed.
 * What the network knows of it by then goes along. Rejects with StoreError, OfflineError and SVC-PUB-002; the new stamp
 * stays, and is sent again by itself.
 */
async function renewStamp(context: RegistryContext, did: Did): Promise<void> {
  const { store, network, profile } = context
  const key = keys.ownIdentity(did)
  const own = readOrSetAside(store, key, store.get(key), (bytes) => decodeIdentityEnvelope(bytes, profile))
  if (own === undefined) return
  const isSignedBefore = presentBinding(context, did, own.binding) !== own.binding
  if (!isSignedBefore && context.time().lapse < (own.stamp?.round ?? 0) + profile.document_refresh / 2) return
  const before = store.get(key)!
  const known = await knownIdentity(context, did)
  if (known === undefined) return
  // A peer may show a newer version without the name's word for it, which holds as long as no other does.
  const { versions } = known
  const binding = presentBinding(context, did, known.binding ?? own.binding)
  const encoded = await stamped(context, did, { versions, ...(binding === undefined ? {} : { binding }) })
  const now = store.get(key)
  // Its owner has published another version meanwhile.
  if (now === undefined || !equalBytes(now, before)) return
  store.put(key, encoded)
  requireMajority('the identity document', await network.putIdentity(did, encoded))
}

/**
 * The name's word for an identity: signed again where the name is ours and its keys have changed, since the word of a
 * former key counts no more.
 */
function presentBinding(
  context: RegistryContext,
  did: Did,
  binding: IdentityBinding | undefined
): IdentityBinding | undefined {
  const owned = binding && context.owned.get(binding.name)
  if (owned === undefined || isGone(owned) || context.seed.isLocked) return binding
  const claim = claimOf(owned.reveal, owned.name, context.profile)
  return verifyIdentityBinding(binding!, did, claim, context.profileHash) ? binding : signedBinding(context, owned, did)
}

/** Throws SVC-KEY-006. */
export function signedBinding(context: RegistryContext, owned: OwnedName, did: Did): IdentityBinding {
  const { name, firstRound, reveal } = owned
  return withOwnKey(context, name, changesIn(reveal), ({ secretKey }) =>
    signIdentityBinding(name, firstRound, did, secretKey, context.profileHash)
  )
}

/** Stamps last weeks, and a quarter of an hour in tests. */
const LOOK_EVERY_MS = 60_000

/**
 * Renews the stamps of this daemon's identities in time. Without one, peers drop a document that no name carries after
 * `document_refresh` rounds (docs/protocol/rules.md, 12).
 */
export class IdentityUpkeep {
  readonly #context: RegistryContext
  readonly #looks = new RepeatedLook((signal) => this.#look(signal))

  constructor(context: RegistryContext) {
    this.#context = context
  }

  start(): void {
    this.#looks.start(this.#context.clock, LOOK_EVERY_MS)
  }

  stop(): Promise<void> {
    return this.#looks.stop()
  }

  /** Never rejects. */
  async #look(signal: AbortSignal): Promise<void> {
    for (const did of this.#dids()) {
      if (signal.aborted) return
      try {
        await renewStamp(this.#context, parseDid(did, this.#context.profile))
      } catch (error) {
        this.#context.log.info(
          { did, reason: (error as Error).message },
          'an identity with a new stamp has not reached enough peers; it is sent again by itself'
        )
      }
    }
  }

  #dids(): readonly string[] {
    try {
      return [...this.#context.store.keys(prefixes.ownIdentities)].map(lastPart)
    } catch (error) {
      this.#context.log.warn(
        { err: error },
        'the identities of this daemon could not be read; the next look tries again'
      )
      return []
    }
  }
}

/**
 * Takes up an identity that the network holds and whose keys come from this seed, and maintains it from now on.
 * Rejects with OfflineError, SVC-RES-004 and StoreError. Where too few peers took it, it is sent again by itself.
 */
export async function adoptIdentity(
  context: RegistryContext,
  did: Did
): Promise<'adopted' | 'other-owner' | 'not-found'> {
  const { profile, network, store } = context
  context.seed.require()
  const known = await findIdentity(context, did)
  if (known === undefined) return 'not-found'
  // Required a second time: the seed may have been locked during the look-up.
  if (keyIndexOfLog(known.versions, context.seed.require(), profile) === undefined) return 'other-owner'
  const { manifest } = await findManifest(context, known)
  const encoded = await stamped(context, did, {
    versions: known.versions,
    ...(known.binding === undefined ? {} : { binding: known.binding })
  })
  store.put(keys.ownIdentity(did), encoded)
  await network.putIdentity(did, encoded)
  if (manifest !== undefined) await network.putManifest(did, encodeManifestRecord(manifest))
  return 'adopted'
}
