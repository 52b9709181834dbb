/** Making identities with keys of the seed, and publishing their versions and manifests. */
import { ServiceError } from '../../errors.ts'
import type { Did } from '../../protocol/identity/did.ts'
import { equalBytes, fromBase64 } from '../../protocol/encoding/bytes.ts'
import { canonicalJsonBytes, parseCanonicalJson } from '../../protocol/encoding/jcs.ts'
import {
  identityDocumentHash,
  IdentityError,
  parseIdentityDocument,
  type IdentityDocument
} from '../../protocol/identity/document.ts'
import {
  verifyIdentityBinding,
  type IdentityBinding,
  encodeIdentityEnvelope,
  decodeIdentityEnvelope
} from '../../protocol/identity/record.ts'
import { checkLogSize, mergeIdentityLogs } from '../../protocol/identity/log.ts'
import { keys, prefixes } from '../../store/keys.ts'
import { openName, type RegistryContext } from '../context.ts'
import { requireMajority, isSuperseded, superseded } from '../publication/publishing.ts'
import { survey } from '../resolution/survey.ts'
import type { StoredBy } from '../../views/common.ts'
import { knownIdentity, type KnownIdentity, findManifest } from './resolve.ts'
import { ownIdentities, signedBinding, stamped } from './own.ts'
import { createIdentity, KEY_INDICES, keyIndexOf } from '../../protocol/identity/seed.ts'
import type { NewIdentity } from '../use-cases.ts'
import { OfflineError } from '../../network/types.ts'
import {
  compareManifests,
  encodeManifestRecord,
  isManifestCurrent,
  parseManifest,
  type Manifest
} from '../../protocol/identity/manifest.ts'
import { SIGNATURE_BYTES } from '../../protocol/crypto/ed25519.ts'
import { EncodingError, ProtocolError } from '../../protocol/errors.ts'
import type { Judged } from '../../protocol/identity/judge-documents.ts'

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

/** The versions with this one: appended, or the whole of what stood when it is there already. Throws ProtocolError. */
async function withVersion(
  { pool, profile }: RegistryContext,
  known: KnownIdentity | undefined,
  document: IdentityDocument
): Promise<readonly Uint8Array[]> {
  const current = known?.log.versions[document.version - 1]
  if (known !== undefined && current !== undefined && equalBytes(current.hash, identityDocumentHash(document)))
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
      `version ${document.version} exists already with other contents; the next one is ${known.versions.length + 1}`
    )
  }
  return versions
}

/** The name's word for the DID: given, or signed here where this daemon owns the name. */
async function bind(
  context: RegistryContext,
  text: string,
  signature: Uint8Array | undefined,
  did: Did
): Promise<IdentityBinding> {
  const name = openName(context, text, 'authorized_kid/name')
  const owned = context.owned.get(name)
  if (signature === undefined) {
    if (owned === undefined)
      throw new ServiceError(
        'SVC-OWN-001',
        `This daemon does not own ${name}, so a document for it needs its owner's name_signature (POST /api/publish-kid).`
      )
    return signedBinding(context, owned, did)
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
 * Makes, signs and publishes version 1 of an identity. SVC-KEY-006 while the seed is locked, SVC-OWN-001 for a name
 * that is not ours, else as `publishKid`.
 */
export function createKid(
  context: RegistryContext,
  { name, services = [], alsoKnownAs = [], index }: NewIdentity
): Promise<{ did: string; version: number } & StoredBy> {
  return invalidAsKid001(async () => {
    const seed = context.seed.require()
    const parts = { index: index ?? freeIndex(context, seed), services, alsoKnownAs }
    const created = new Date(context.clock.now()).toISOString()
    const document = createIdentity(seed, parts, created, context.profile)
    return publishKid(context, { document, ...(name === undefined ? {} : { name: openName(context, name) }) })
  })
}

/** The first index of which no identity here ever had the keys: equal keys would show that two have one owner. */
function freeIndex(context: RegistryContext, seed: Uint8Array): number {
  // Sets damaged records aside.
  ownIdentities(context)
  const { store, profile } = context
  const used = new Set<number | undefined>()
  for (const [, value] of store.list(prefixes.ownIdentities)) {
    for (const version of decodeIdentityEnvelope(value, profile).versions) {
      const json = parseCanonicalJson(version, { maxBytes: profile.limits.kid_bytes })
      used.add(keyIndexOf(parseIdentityDocument(json, profile), seed, profile))
    }
  }
  for (let index = 0; index < KEY_INDICES; index++) if (!used.has(index)) return index
  throw new IdentityError('document', `all ${KEY_INDICES} identities of this seed exist already`)
}

/**
 * Publishes a capability manifest of a known identity. SVC-KID-001, SVC-PUB-001 where a newer one exists, SVC-RES-001,
 * SVC-RES-004, SVC-PUB-002.
 */
export async function publishManifest(
  context: RegistryContext,
  input: unknown
): Promise<{ did: string; version: number } & StoredBy> {
  return invalidAsKid001(async () => {
    const manifest = parseManifest(readAuthorizedManifest(input), context.profile)
    // No peer would take it, and this daemon would send it again and again, in place of the one before.
    if (!isManifestCurrent(manifest, context.clock.now()))
      throw new IdentityError('manifest', 'validUntil has passed, or validFrom is still to come')
    const known = await knownIdentity(context, manifest.id)
    if (known === undefined)
      throw new IdentityError('manifest', `no identity document of ${manifest.id} is known; publish that first`)
    const encoded = encodeManifestRecord(manifest)
    requireValid(await context.pool.judgeSpeaker(encoded, encodeIdentityEnvelope(known), context.profile, 'own'))
    const current = await currentManifest(context, known)
    // No peer would take it, and this daemon would send it again in place of the newer one.
    if (current !== undefined && compareManifests(current, manifest) > 0) throw supersededManifest(manifest, current)
    const outcome = await context.network.putManifest(manifest.id, encoded)
    // Peers that hold a newer one count as having it.
    if (isSuperseded(outcome)) throw supersededManifest(manifest)
    return { did: manifest.id, version: manifest.version, ...requireMajority('the manifest', outcome) }
  })
}

/** The newest that peers show. Offline it is not known. */
async function currentManifest(context: RegistryContext, known: KnownIdentity): Promise<Manifest | undefined> {
  try {
    return (await findManifest(context, known)).manifest
  } catch (error) {
    if (error instanceof OfflineError) return undefined
    throw error
  }
}

function supersededManifest({ id }: Manifest, current?: Manifest): ServiceError {
  const which = current === undefined ? '' : ` (version ${current.version} of kid_version ${current.kid_version})`
  return superseded(`manifest of ${id}${which}`, 'Sign it again with a higher version.')
}

export interface AuthorizedIdentity {
  readonly document: unknown
  readonly name: string | undefined
  readonly nameSignature: Uint8Array | undefined
}

/** {document, name?, name_signature?}, or the document itself. Throws IdentityError. */
function readAuthorizedIdentity(input: unknown): AuthorizedIdentity {
  const fields = objectOf(input, 'authorized_kid')
  if (!('document' in fields)) return { document: fields, name: undefined, nameSignature: undefined }
  const { document, name, name_signature: signature } = fields
  if (name !== undefined && typeof name !== 'string') throw new IdentityError('binding', 'name: a text is expected')
  if (name === undefined && signature !== undefined)
    throw new IdentityError('binding', 'name_signature without a name says nothing')
  return { document, name, nameSignature: signature === undefined ? undefined : bytesOf(signature) }
}

/** {manifest}, or the manifest itself. Throws IdentityError. */
function readAuthorizedManifest(input: unknown): unknown {
  const fields = objectOf(input, 'authorized_manifest')
  return 'manifest' in fields ? fields['manifest'] : fields
}

function objectOf(input: unknown, what: string): Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new IdentityError('document', `${what}: an object is expected`)
  return input as Record<string, unknown>
}

/** Bytes as the interface takes them: an array of integers 0-255 or base64 (docs/api.md, "Bytes in JSON"). */
function bytesOf(value: unknown): Uint8Array {
  const bytes =
    value instanceof Uint8Array
      ? value
      : typeof value === 'string'
        ? base64Of(value)
        : Array.isArray(value)
          ? arrayOf(value)
          : undefined
  if (bytes?.length !== SIGNATURE_BYTES)
    throw new IdentityError(
      'binding',
      `name_signature: ${SIGNATURE_BYTES} bytes are expected, as base64 or an array of integers`
    )
  return bytes
}

function base64Of(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text)
  } catch (error) {
    if (error instanceof EncodingError) return undefined
    throw error
  }
}

function arrayOf(values: readonly unknown[]): Uint8Array | undefined {
  const isByte = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255
  return values.every(isByte) ? Uint8Array.from(values) : undefined
}

export function requireValid<T>(verdict: Judged<T>): T {
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
