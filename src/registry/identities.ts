/** Identity documents and capability manifests: publishing and resolving. Records hold the whole log; what is known already is merged, never lost. */
import { ServiceError } from '../errors.ts'
import { OfflineError } from '../network/types.ts'
import type { Did } from '../protocol/did.ts'
import { parseDid } from '../protocol/did.ts'
import { EncodingError } from '../protocol/errors.ts'
import { equalBytes } from '../protocol/bytes.ts'
import { kidDocumentHash, KidError, parseKidDocument, type KidDocument } from '../protocol/kid.ts'
import { signKidBinding, verifyKidBinding, type KidBinding } from '../protocol/kid-binding.ts'
import { appendVersion, headOf, mergeKidLogs, verifyKidLog, type KidLog } from '../protocol/kid-log.ts'
import { decodeKidRecord, documentStampSubject, encodeKidRecord, type KidRecord } from '../protocol/kid-record.ts'
import { compareManifestOrder, decodeManifestRecord, encodeManifestRecord, isManifestCurrent, parseManifest, verifyManifest, type Manifest } from '../protocol/manifest.ts'
import { keys } from '../store/keys.ts'
import { stampFor } from './commitments.ts'
import { openName, ownKey, type RegistryContext } from './context.ts'
import { readAuthorizedKid, readAuthorizedManifest } from './identity-requests.ts'
import { requireMajority } from './publishing.ts'
import { isWholeNetwork, survey } from './survey.ts'
import type { ResolvedIdentity, StoredBy } from './types.ts'

/** The newest documents of a DID. SVC-REQ-001 for what is no DID of this network, SVC-RES-001, SVC-RES-002. */
export async function resolveIdentity(context: RegistryContext, text: string, signal?: AbortSignal): Promise<ResolvedIdentity> {
  const did = readDid(context, text)
  const record = await findRecord(context, did, signal)
  if (record === undefined) {
    if (context.network.status().peers === 0 && !isWholeNetwork(context)) throw new OfflineError('No peer can be asked.')
    throw new ServiceError('SVC-RES-002', `No identity document is known for ${did}.`)
  }
  const manifest = await findManifest(context, record, signal)
  return { kid_document: asJson(headOf(record.log)), manifest_document: manifest === undefined ? null : asJson(manifest) }
}

/** Publishes a version of an identity document on top of those that are known. SVC-KID-001, SVC-OWN-001, SVC-RES-001, SVC-PUB-002. */
export async function publishKid(context: RegistryContext, input: unknown): Promise<{ did: string; version: number } & StoredBy> {
  return invalidAsKid001(async () => {
    const request = readAuthorizedKid(input)
    const document = parseKidDocument(request.document, context.profile)
    const known = await knownRecord(context, document.id)
    const log = withVersion(context, known?.log, document)
    const binding = request.name === undefined ? known?.binding : await bind(context, request.name, request.nameSignature, document.id)
    const record = await stamped(context, { log, ...(binding === undefined ? {} : { binding }) })
    const encoded = encodeKidRecord(record)
    context.store.put(keys.ownIdentity(log.did), encoded)
    const stored = requireMajority('the identity document', await context.network.putIdentity(log.did, encoded))
    return { did: log.did, version: headOf(log).version, ...stored }
  })
}

/** Publishes a capability manifest of a known identity. SVC-KID-001, SVC-RES-001, SVC-PUB-002. */
export async function publishManifest(context: RegistryContext, input: unknown): Promise<{ did: string; version: number } & StoredBy> {
  return invalidAsKid001(async () => {
    const manifest = parseManifest(readAuthorizedManifest(input), context.profile)
    const record = await knownRecord(context, manifest.id)
    if (record === undefined) throw new KidError('manifest', `no identity document of ${manifest.id} is known; publish that first`)
    verifyManifest(manifest, record.log)
    const stored = requireMajority('the manifest', await context.network.putManifest(manifest.id, encodeManifestRecord(manifest)))
    return { did: manifest.id, version: manifest.version, ...stored }
  })
}

function readDid({ profile }: RegistryContext, text: string): Did {
  try {
    return parseDid(text, profile)
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error
    throw new ServiceError('SVC-REQ-001', `${text} is no DID of this network: ${error.detail}.`, { cause: error, errors: [{ path: 'did', message: error.detail }] })
  }
}

/** The log with this version: appended, or the whole of what stood when it is there already. */
function withVersion({ profile }: RegistryContext, known: KidLog | undefined, document: KidDocument): KidLog {
  if (known === undefined) return verifyKidLog([document], profile)
  const standing = known.versions[document.version - 1]
  if (standing !== undefined && equalBytes(standing.hash, kidDocumentHash(document))) return known
  if (standing === undefined) return appendVersion(known, document, profile)
  // A version that is there already: only a recovery key may replace it and what follows.
  const forked = verifyKidLog([...known.versions.slice(0, document.version - 1).map((version) => version.document), document], profile)
  const merged = mergeKidLogs(known, forked)
  if (merged.kind === 'stale') throw new KidError('log', `version ${document.version} stands already with other contents; the next one is ${headOf(known).version + 1}`)
  return merged.log
}

/** The network's record of a DID merged with the one published from here. Offline, the latter alone. */
async function knownRecord(context: RegistryContext, did: Did): Promise<KidRecord | undefined> {
  try {
    return await findRecord(context, did)
  } catch (error) {
    if (error instanceof OfflineError) return ownRecord(context, did)
    throw error
  }
}

/** What stands of all that peers and this daemon hold. Each log is verified on a thread, and merged by its outline: twenty long ones would hold the event loop up for half a second. */
async function findRecord(context: RegistryContext, did: Did, signal?: AbortSignal): Promise<KidRecord | undefined> {
  const { network, pool, profile, store } = context
  const own = store.get(keys.ownIdentity(did))
  const records = [...(own === undefined ? [] : [own]), ...(await network.getIdentity(did, signal))]
  const judged = await Promise.all(records.map(async (bytes) => ({ bytes, verdict: await pool.judgeIdentity(bytes, profile, 'own') })))
  const logs = judged.flatMap(({ bytes, verdict }) => (verdict.ok && verdict.value.log.did === did ? [{ bytes, log: verdict.value.log }] : []))
  const [first, ...others] = logs
  if (first === undefined) return undefined
  const standing = others.reduce((best, other) => (mergeKidLogs(best.log, other.log).kind === 'stale' ? best : other), first)
  return decodeKidRecord(standing.bytes, profile)
}

function ownRecord({ store, profile }: RegistryContext, did: Did): KidRecord | undefined {
  const value = store.get(keys.ownIdentity(did))
  return value === undefined ? undefined : decodeKidRecord(value, profile)
}

/** The newest that speaks for the identity. Every peer may show another one: each is judged on a thread, the proofs of the newest first until one verifies. */
async function findManifest({ profile, network, clock, pool }: RegistryContext, record: KidRecord, signal?: AbortSignal): Promise<Manifest | undefined> {
  const { did } = record.log
  const shown = await Promise.all((await network.getManifest(did, signal)).map(async (bytes) => ({ bytes, verdict: await pool.judgeManifest(bytes, profile, 'own') })))
  const current = shown.flatMap(({ bytes, verdict }) => (verdict.ok && verdict.value.id === did && isManifestCurrent(verdict.value, clock.now()) ? [{ bytes, order: verdict.value }] : []))
  const identity = encodeKidRecord(record)
  for (const { bytes } of current.toSorted((left, right) => compareManifestOrder(right.order, left.order))) {
    if ((await pool.judgeSpeaker(bytes, identity, profile, 'own')).ok) return decodeManifestRecord(bytes, profile)
  }
  return undefined
}

/** The name's word for the DID: given, or signed here where this daemon owns the name. */
async function bind(context: RegistryContext, text: string, signature: Uint8Array | undefined, did: Did): Promise<KidBinding> {
  const name = openName(context, text)
  const owned = context.owned.get(name)
  if (signature === undefined) {
    if (owned === undefined) throw new ServiceError('SVC-OWN-001', `This daemon does not own ${name}, so the request needs the owner's name_signature.`)
    return signKidBinding(name, owned.firstRound, did, ownKey(context, name).secretKey, context.profileHash)
  }
  const { tally } = await survey(context, name)
  const claim = tally.kind === 'owner' ? tally.owner.newest : undefined
  const binding = claim === undefined ? undefined : { name, firstRound: claim.firstRound, signature }
  if (claim === undefined || binding === undefined || !verifyKidBinding(binding, did, claim, context.profileHash)) {
    throw new KidError('binding', `name_signature is not by the owner of ${name} for ${did}`)
  }
  return binding
}

/** Every record gets a stamp: it keeps the document where its name does not. */
async function stamped(context: RegistryContext, record: KidRecord): Promise<KidRecord> {
  const round = context.time().now
  const nonce = await stampFor(context, documentStampSubject(record.log.did, round, context.profileHash))
  return { ...record, stamp: { round, nonce } }
}

async function invalidAsKid001<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof KidError) && !(error instanceof EncodingError)) throw error
    throw new ServiceError('SVC-KID-001', `Rule "${error.rule}": ${error.detail}.`, { cause: error, extensions: { rule: error.rule } })
  }
}

function asJson(document: KidDocument | Manifest): Record<string, unknown> {
  return { ...document }
}
