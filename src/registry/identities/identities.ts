/**
 * Identity documents and capability manifests: publishing and resolving. Records hold the whole log; what is known
 * already is merged, never lost. Logs are verified on threads: the longest take 20 ms.
 */
import { ServiceError } from '../../errors.ts'
import { OfflineError, type FoundDocuments } from '../../network/types.ts'
import type { Did } from '../../protocol/identity/did.ts'
import { parseDid } from '../../protocol/identity/did.ts'
import { EncodingError, ProtocolError } from '../../protocol/errors.ts'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { canonicalJsonBytes, parseCanonicalJson } from '../../protocol/encoding/jcs.ts'
import type { Judged } from '../../protocol/identity/judge-documents.ts'
import { keyIndexOfLog } from '../../protocol/identity/key-index.ts'
import {
  identityDocumentHash,
  IdentityError,
  parseIdentityDocument,
  type IdentityDocument
} from '../../protocol/identity/document.ts'
import { signIdentityBinding, verifyIdentityBinding, type IdentityBinding } from '../../protocol/identity/binding.ts'
import { checkLogSize, mergeIdentityLogs } from '../../protocol/identity/log.ts'
import {
  decodeIdentityEnvelope,
  documentStampSubject,
  encodeIdentityEnvelope,
  type IdentityRecordEnvelope,
  type IdentityRecordOutline
} from '../../protocol/identity/record.ts'
import {
  compareManifestOrder,
  compareManifests,
  decodeManifestRecord,
  encodeManifestRecord,
  isManifestCurrent,
  parseManifest,
  type Manifest
} from '../../protocol/identity/manifest.ts'
import { keys } from '../../store/keys.ts'
import { readOrSetAside } from '../../store/read-or-set-aside.ts'
import { stampFor } from '../publication/commitments.ts'
import { openName, ownKey, type RegistryContext } from '../context.ts'
import { readAuthorizedIdentity, readAuthorizedManifest } from './identity-requests.ts'
import { isSuperseded, requireMajority, superseded } from '../publication/publishing.ts'
import { foldShown, isAsNewAs, SeenIdentities, type ShownLog } from './seen-identities.ts'
import { isWholeNetwork, survey } from '../resolution/survey.ts'
import type { ResolvedIdentity, ResolvedIdentityLog } from '../types.ts'
import type { StoredBy } from '../../views/stored-by.ts'

/** An identity whose log has been verified, with the RFC 8785 bytes of its versions. */
interface KnownIdentity extends IdentityRecordEnvelope, IdentityRecordOutline {}

/**
 * The newest documents of a DID. SVC-REQ-001 for what is no DID of this network, SVC-RES-001, SVC-RES-002, SVC-RES-004.
 */
export async function resolveIdentity(
  context: RegistryContext,
  text: string,
  signal?: AbortSignal
): Promise<ResolvedIdentity> {
  const known = await requireIdentity(context, readDid(context, text), signal)
  const manifest = await findManifest(context, known, signal)
  return {
    kid_document: jsonOf(context, known.versions.at(-1)!),
    manifest_document: manifest === undefined ? null : { ...manifest }
  }
}

/** All versions of a DID's document that stand. Errors as `resolveIdentity`. */
export async function resolveIdentityLog(
  context: RegistryContext,
  text: string,
  signal?: AbortSignal
): Promise<ResolvedIdentityLog> {
  const did = readDid(context, text)
  const { versions } = await requireIdentity(context, did, signal)
  return { did, versions: versions.map((version) => jsonOf(context, version)) }
}

async function requireIdentity(context: RegistryContext, did: Did, signal?: AbortSignal): Promise<KnownIdentity> {
  const known = await findIdentity(context, did, signal)
  if (known !== undefined) return known
  if (context.network.status().peers === 0 && !isWholeNetwork(context)) throw new OfflineError('No peer can be asked.')
  throw new ServiceError('SVC-RES-002', `No identity document is known for ${did}.`)
}

function jsonOf({ profile }: RegistryContext, version: Uint8Array): Record<string, unknown> {
  return parseCanonicalJson(version, { maxBytes: profile.limits.kid_bytes }) as Record<string, unknown>
}

/**
 * Publishes a version of an identity document on top of those that are known. SVC-KID-001, SVC-OWN-001, SVC-RES-001,
 * SVC-RES-004, SVC-PUB-002.
 */
export async function publishKid(
  context: RegistryContext,
  input: unknown
): Promise<{ did: string; version: number } & StoredBy> {
  return invalidAsKid001(async () => {
    const request = readAuthorizedIdentity(input)
    const document = parseIdentityDocument(request.document, context.profile)
    const known = await knownIdentity(context, document.id)
    const versions = await withVersion(context, known, document)
    const binding =
      request.name === undefined
        ? known?.binding
        : await bind(context, request.name, request.nameSignature, document.id)
    const encoded = await stamped(context, document.id, { versions, ...(binding === undefined ? {} : { binding }) })
    context.store.put(keys.ownIdentity(document.id), encoded)
    const stored = requireMajority('the identity document', await context.network.putIdentity(document.id, encoded))
    return { did: document.id, version: versions.length, ...stored }
  })
}

/**
 * Publishes a capability manifest of a known identity. SVC-KID-001, SVC-PUB-001 where a newer one stands, SVC-RES-001,
 * SVC-RES-004, SVC-PUB-002.
 */
export async function publishManifest(
  context: RegistryContext,
  input: unknown
): Promise<{ did: string; version: number } & StoredBy> {
  return invalidAsKid001(async () => {
    const manifest = parseManifest(readAuthorizedManifest(input), context.profile)
    // Nobody would take it, and from here it would be sent again for ever, in place of the one before.
    if (!isManifestCurrent(manifest, context.clock.now()))
      throw new IdentityError('manifest', 'validUntil has passed, or validFrom is still to come')
    const known = await knownIdentity(context, manifest.id)
    if (known === undefined)
      throw new IdentityError('manifest', `no identity document of ${manifest.id} is known; publish that first`)
    const encoded = encodeManifestRecord(manifest)
    requireValid(await context.pool.judgeSpeaker(encoded, encodeIdentityEnvelope(known), context.profile, 'own'))
    const standing = await standingManifest(context, known)
    // Nobody would take it, and from here it would be sent again in place of the one that stands.
    if (standing !== undefined && compareManifests(standing, manifest) > 0) throw supersededManifest(manifest, standing)
    const outcome = await context.network.putManifest(manifest.id, encoded)
    // Peers that hold a newer one count as having it.
    if (isSuperseded(outcome)) throw supersededManifest(manifest)
    return { did: manifest.id, version: manifest.version, ...requireMajority('the manifest', outcome) }
  })
}

/** SVC-REQ-001 for what is no DID of this network. */
export function readDid({ profile }: RegistryContext, text: string): Did {
  try {
    return parseDid(text, profile)
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error
    throw new ServiceError('SVC-REQ-001', `${text} is no DID of this network: ${error.detail}.`, {
      cause: error,
      errors: [{ path: 'did', message: error.detail }]
    })
  }
}

/**
 * Takes up an identity that the network holds and whose keys come from this seed: from now on it is kept from here.
 * Rejects with OfflineError, SVC-RES-004 and StoreError; where too few peers took it again it is sent again by itself.
 */
export async function adoptIdentity(
  context: RegistryContext,
  did: Did
): Promise<'adopted' | 'other-owner' | 'not-found'> {
  const { profile, network, store } = context
  context.seed.require()
  const known = await findIdentity(context, did)
  if (known === undefined) return 'not-found'
  // Asked for again: it may have been locked during the look-up.
  if (keyIndexOfLog(known.versions, context.seed.require(), profile) === undefined) return 'other-owner'
  const manifest = await findManifest(context, known)
  const encoded = await stamped(context, did, {
    versions: known.versions,
    ...(known.binding === undefined ? {} : { binding: known.binding })
  })
  store.put(keys.ownIdentity(did), encoded)
  await network.putIdentity(did, encoded)
  if (manifest !== undefined) await network.putManifest(did, encodeManifestRecord(manifest))
  return 'adopted'
}

/** The versions with this one: appended, or the whole of what stood when it is there already. Throws ProtocolError. */
async function withVersion(
  { pool, profile }: RegistryContext,
  known: KnownIdentity | undefined,
  document: IdentityDocument
): Promise<readonly Uint8Array[]> {
  const standing = known?.log.versions[document.version - 1]
  if (known !== undefined && standing !== undefined && equalBytes(standing.hash, identityDocumentHash(document)))
    return known.versions
  const versions = [...(known?.versions.slice(0, document.version - 1) ?? []), canonicalJsonBytes(document)]
  checkLogSize(
    versions.map(({ length }) => length),
    profile
  )
  const { log } = requireValid(await pool.judgeIdentity(encodeIdentityEnvelope({ versions }), profile, 'own'))
  // A version that is there already: only a recovery key may replace it and what follows.
  if (known !== undefined && mergeIdentityLogs(known.log, log).kind === 'stale') {
    throw new IdentityError(
      'log',
      `version ${document.version} stands already with other contents; the next one is ${known.versions.length + 1}`
    )
  }
  return versions
}

/** The network's record of a DID merged with the one published from here. Offline, the latter alone. */
async function knownIdentity(context: RegistryContext, did: Did): Promise<KnownIdentity | undefined> {
  try {
    return await findIdentity(context, did)
  } catch (error) {
    if (error instanceof OfflineError) return standingOf(context, did, NOTHING_SHOWN)
    throw error
  }
}

async function findIdentity(
  context: RegistryContext,
  did: Did,
  signal?: AbortSignal
): Promise<KnownIdentity | undefined> {
  return standingOf(context, did, await context.network.getIdentity(did, signal))
}

/** Nobody was asked. */
const NOTHING_SHOWN: FoundDocuments = { records: [], shownBy: [], isAnswered: false }

/**
 * What stands of a DID's records that peers hold and of the one published from here. What was seen once is not taken
 * back: SVC-RES-004 where all that is shown is older, or another branch of equal rank [an identity shown with a key
 * that was rotated out].
 */
async function standingOf(
  context: RegistryContext,
  did: Did,
  { records, shownBy, isAnswered }: FoundDocuments
): Promise<KnownIdentity | undefined> {
  const { store, pool, profile } = context
  const own = store.get(keys.ownIdentity(did))
  const judge = async (
    bytes: Uint8Array,
    votes: number
  ): Promise<(ShownLog & { bytes: Uint8Array; outline: IdentityRecordOutline })[]> => {
    const verdict = await pool.judgeIdentity(bytes, profile, 'own')
    return verdict.ok && verdict.value.log.did === did
      ? [{ bytes, outline: verdict.value, log: verdict.value.log, shownBy: votes }]
      : []
  }
  const [[published], ...shown] = await Promise.all([
    own === undefined ? [] : judge(own, 0),
    ...records.map((bytes, index) => judge(bytes, shownBy[index]!))
  ])
  const best = foldShown(shown.flat(), published)
  if (best === undefined) return undefined
  const memory = new SeenIdentities(store)
  if (!isAsNewAs(best.log, memory.get(did))) {
    throw new ServiceError(
      'SVC-RES-004',
      `Every peer that answered holds an older log of ${did} than one that was seen before, or one that parts from it.`,
      { retryAfter: 60 }
    )
  }
  // What few say while the others are silent would bind as long.
  if (isAnswered) memory.see(best.log, context.time().now)
  return { ...best.outline, versions: decodeIdentityEnvelope(best.bytes, profile).versions }
}

/** The newest that peers show. Offline it is not known. */
async function standingManifest(context: RegistryContext, known: KnownIdentity): Promise<Manifest | undefined> {
  try {
    return await findManifest(context, known)
  } catch (error) {
    if (error instanceof OfflineError) return undefined
    throw error
  }
}

function supersededManifest({ id }: Manifest, standing?: Manifest): ServiceError {
  const which = standing === undefined ? '' : ` (version ${standing.version} of kid_version ${standing.kid_version})`
  return superseded(`manifest of ${id}${which}`, 'Sign it again with a higher version.')
}

/**
 * The newest that speaks for the identity. Every peer may show another one: each is judged on a thread, the proofs of
 * the newest first until one verifies.
 */
async function findManifest(
  { profile, network, clock, pool }: RegistryContext,
  known: KnownIdentity,
  signal?: AbortSignal
): Promise<Manifest | undefined> {
  const { did } = known.log
  const shown = await Promise.all(
    (await network.getManifest(did, signal)).map(async (bytes) => ({
      bytes,
      verdict: await pool.judgeManifest(bytes, profile, 'own')
    }))
  )
  const current = shown.flatMap(({ bytes, verdict }) =>
    verdict.ok && verdict.value.id === did && isManifestCurrent(verdict.value, clock.now())
      ? [{ bytes, order: verdict.value }]
      : []
  )
  const identity = encodeIdentityEnvelope(known)
  for (const { bytes } of current.toSorted((left, right) => compareManifestOrder(right.order, left.order))) {
    if ((await pool.judgeSpeaker(bytes, identity, profile, 'own')).ok) return decodeManifestRecord(bytes, profile)
  }
  return undefined
}

/** The name's word for the DID: given, or signed here where this daemon owns the name. */
async function bind(
  context: RegistryContext,
  text: string,
  signature: Uint8Array | undefined,
  did: Did
): Promise<IdentityBinding> {
  const name = openName(context, text)
  const owned = context.owned.get(name)
  if (signature === undefined) {
    if (owned === undefined)
      throw new ServiceError(
        'SVC-OWN-001',
        `This daemon does not own ${name}, so the request needs the owner's name_signature.`
      )
    return signIdentityBinding(name, owned.firstRound, did, ownKey(context, name).secretKey, context.profileHash)
  }
  const { tally } = await survey(context, name)
  const claim = tally.kind === 'owner' ? tally.owner.newest : undefined
  const binding = claim === undefined ? undefined : { name, firstRound: claim.firstRound, signature }
  if (
    claim === undefined ||
    binding === undefined ||
    !verifyIdentityBinding(binding, did, claim, context.profileHash)
  ) {
    throw new IdentityError('binding', `name_signature is not by the owner of ${name} for ${did}`)
  }
  return binding
}

/**
 * Publishes an identity of ours again with a new stamp once half of the time that the present one gives has passed.
 * What the network knows of it by then goes along. Rejects with StoreError, OfflineError and SVC-PUB-002; the new stamp
 * stays, and is sent again by itself.
 */
export async function renewStamp(context: RegistryContext, did: Did): Promise<void> {
  const { store, network, profile } = context
  const key = keys.ownIdentity(did)
  const own = readOrSetAside(store, key, store.get(key), (bytes) => decodeIdentityEnvelope(bytes, profile))
  if (own === undefined || context.time().lapse < (own.stamp?.round ?? 0) + profile.document_refresh / 2) return
  const before = store.get(key)!
  const known = await knownIdentity(context, did)
  if (known === undefined) return
  // A peer may show a newer version without the name's word for it, which stands as long as no other does.
  const { versions, binding = own.binding } = known
  const encoded = await stamped(context, did, { versions, ...(binding === undefined ? {} : { binding }) })
  const now = store.get(key)
  // Its owner has published another version meanwhile.
  if (now === undefined || !equalBytes(now, before)) return
  store.put(key, encoded)
  requireMajority('the identity document', await network.putIdentity(did, encoded))
}

/**
 * Every record gets a stamp: it keeps the document where its name does not. Of a round that is certainly over: where
 * clocks differ, one dated after now would be none.
 */
async function stamped(
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

function requireValid<T>(verdict: Judged<T>): T {
  if (verdict.ok) return verdict.value
  throw new ProtocolError(verdict.rule, verdict.detail)
}

async function invalidAsKid001<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    throw new ServiceError('SVC-KID-001', `Rule "${error.rule}": ${error.detail}.`, {
      cause: error,
      extensions: { rule: error.rule }
    })
  }
}
