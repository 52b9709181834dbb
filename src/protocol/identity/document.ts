/**
 * Identity documents (W3C DID Core, with versions): shape, DIDs, creation and signing. log.ts has the log of versions.
 */
import * as v from 'valibot'
import { sha256, toHex } from '../encoding/bytes.ts'
import {
  type DataIntegrityProof,
  addProof,
  withoutMember,
  multikey,
  parseBy,
  proofSchema,
  text,
  uri
} from './data-integrity.ts'
import type { Did } from './did.ts'
import { didOfGenesis, encodeMultikey, parseDid } from './did.ts'
import type { KeyPair } from '../crypto/ed25519.ts'
import { EncodingError, ProtocolError } from '../errors.ts'
import { canonicalJson, canonicalJsonBytes } from '../encoding/jcs.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import { profileHash } from '../profile/profile.ts'

export type { Did } from './did.ts'
export { parseDid } from './did.ts'

/**
 * `document`: shape. `did`: the id does not belong to the document. `proof`: who signed it. `log`: order and links of
 * the versions. `binding`, `manifest`.
 */
type IdentityRule = 'document' | 'did' | 'proof' | 'log' | 'binding' | 'manifest'

export class IdentityError extends ProtocolError {
  override readonly name = 'IdentityError'
  override readonly rule: IdentityRule

  constructor(rule: IdentityRule, detail: string, options?: ErrorOptions) {
    super(rule, detail, options, 'identity')
    this.rule = rule
  }
}

interface VerificationMethod {
  readonly id: string
  readonly type: 'Multikey'
  readonly controller: string
  readonly publicKeyMultibase: string
}

export interface Service {
  readonly id: string
  readonly type: string
  readonly serviceEndpoint: Endpoint | readonly Endpoint[]
}

/** A URI, or an object whose members the type of the service defines (DID Core, 5.4). */
type Endpoint = string | Readonly<Record<string, unknown>>

/** A version without its proof. Ids are absolute: `<did>#fragment`. */
export interface UnsignedIdentityDocument {
  readonly '@context': readonly string[]
  readonly id: Did
  readonly alsoKnownAs?: readonly string[]
  readonly verificationMethod: readonly VerificationMethod[]
  readonly authentication?: readonly string[]
  readonly assertionMethod?: readonly string[]
  readonly service?: readonly Service[]
  readonly version: number
  /** `H` of the former version's RFC 8785 bytes with its proof, in hex; absent in version 1. */
  readonly prev?: string
  /** Any of these Multikeys may sign the next version. */
  readonly updateKeys: readonly string[]
  /** Any of these Multikeys may sign any later version; only they may change this list. */
  readonly recoveryKeys?: readonly string[]
  readonly deactivated?: true
}

export interface IdentityDocument extends UnsignedIdentityDocument {
  readonly proof: DataIntegrityProof
}

const DID_CONTEXT = 'https://www.w3.org/ns/did/v1'
const MULTIKEY_CONTEXT = 'https://w3id.org/security/multikey/v1'

/** Most entries of each list; the log's size bounds them further. */
const MAX_ENTRIES = 32

const references = v.optional(v.pipe(v.array(text(512)), v.maxLength(MAX_ENTRIES)))
const keys = v.pipe(v.array(multikey), v.maxLength(MAX_ENTRIES))

/** Longest endpoint, in UTF-16 units: a URI, or the RFC 8785 text of an object. */
const MAX_ENDPOINT = 2048

const endpoint = v.union([
  uri,
  v.custom<Readonly<Record<string, unknown>>>(
    isEndpointObject,
    `must be an absolute URI, or an object with members and at most ${MAX_ENDPOINT} characters`
  )
])

function isEndpointObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    return false
  try {
    return canonicalJson(value).length <= MAX_ENDPOINT
  } catch (error) {
    // A lone surrogate, which no document can have.
    if (error instanceof EncodingError) return false
    throw error
  }
}

const UnsignedSchema = v.strictObject({
  '@context': v.pipe(
    v.array(text(512)),
    v.maxLength(MAX_ENTRIES),
    v.check((list) => list[0] === DID_CONTEXT, `must begin with ${DID_CONTEXT}`)
  ),
  id: text(256),
  alsoKnownAs: v.optional(v.pipe(v.array(uri), v.maxLength(MAX_ENTRIES))),
  verificationMethod: v.pipe(
    v.array(
      v.strictObject({
        id: text(512),
        type: v.literal('Multikey'),
        controller: text(256),
        publicKeyMultibase: multikey
      })
    ),
    v.maxLength(MAX_ENTRIES)
  ),
  authentication: references,
  assertionMethod: references,
  service: v.optional(
    v.pipe(
      v.array(
        v.strictObject({
          id: text(512),
          type: text(128),
          serviceEndpoint: v.union([endpoint, v.pipe(v.array(endpoint), v.minLength(1), v.maxLength(MAX_ENTRIES))])
        })
      ),
      v.maxLength(MAX_ENTRIES)
    )
  ),
  version: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  prev: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'must be 32 bytes in lower-case hex'))),
  updateKeys: v.pipe(keys, v.minLength(1)),
  recoveryKeys: v.optional(keys),
  deactivated: v.optional(v.literal(true))
})

const DocumentSchema = v.strictObject({ ...UnsignedSchema.entries, proof: proofSchema })

/**
 * Checks the shape of a version: members, ids, references, proof of this network. Does not check signatures or the log.
 * Throws IdentityError.
 */
export function parseIdentityDocument(json: unknown, profile: NetworkProfile): IdentityDocument {
  const document = parseBy(DocumentSchema, json, (detail) => new IdentityError('document', detail)) as IdentityDocument
  checkIds(document, profile)
  if (document.proof.domain !== toHex(profileHash(profile)))
    throw new IdentityError('proof', `proof.domain is not the hash of network ${profile.id}`)
  return document
}

/** As `parseIdentityDocument`, for an unsigned version. */
export function parseUnsignedIdentityDocument(json: unknown, profile: NetworkProfile): UnsignedIdentityDocument {
  const document = parseBy(
    UnsignedSchema,
    json,
    (detail) => new IdentityError('document', detail)
  ) as UnsignedIdentityDocument
  checkIds(document, profile)
  return document
}

/** `H` of a version's RFC 8785 bytes with its proof, as in the next version's `prev`. */
export function identityDocumentHash(document: IdentityDocument): Uint8Array {
  return sha256(canonicalJsonBytes(document))
}

/**
 * The DID of a genesis document: of its RFC 8785 bytes without `id` and `proof`, with relative ids (`#key-1`). Members
 * whose value is the DID itself, the controllers, are left out.
 */
export function identityDid(genesis: UnsignedIdentityDocument, profile: NetworkProfile): Did {
  return didOfGenesis(canonicalJsonBytes(relativeGenesis(genesis)), profile)
}

interface GenesisParts {
  /** Keys listed as `#key-1`, `#key-2` ..., for authentication and assertions. */
  readonly keys: readonly Uint8Array[]
  /** Ids are fragments: `#files`. */
  readonly services?: readonly Service[]
  readonly alsoKnownAs?: readonly string[]
  readonly updateKeys: readonly Uint8Array[]
  readonly recoveryKeys?: readonly Uint8Array[]
}

/** Version 1 of a new identity, unsigned, with its DID. */
export function buildGenesis(parts: GenesisParts, profile: NetworkProfile): UnsignedIdentityDocument {
  const ids = parts.keys.map((_, index) => `#key-${index + 1}`)
  const relative = {
    '@context': [DID_CONTEXT, MULTIKEY_CONTEXT],
    ...(parts.alsoKnownAs === undefined ? {} : { alsoKnownAs: parts.alsoKnownAs }),
    verificationMethod: parts.keys.map((key, index) => ({
      id: ids[index]!,
      type: 'Multikey' as const,
      controller: '',
      publicKeyMultibase: encodeMultikey(key)
    })),
    authentication: ids,
    assertionMethod: ids,
    service: parts.services ?? [],
    version: 1,
    updateKeys: parts.updateKeys.map(encodeMultikey),
    recoveryKeys: (parts.recoveryKeys ?? []).map(encodeMultikey)
  }
  const did = identityDid({ ...relative, id: 'did::z' }, profile)
  const absolute = (id: string): string => did + id
  return {
    ...relative,
    id: did,
    verificationMethod: relative.verificationMethod.map((method) => ({
      ...method,
      id: absolute(method.id),
      controller: did
    })),
    authentication: ids.map(absolute),
    assertionMethod: ids.map(absolute),
    service: relative.service.map((service) => ({ ...service, id: absolute(service.id) }))
  }
}

/** Changes of the next version; absent members remain. */
export type IdentityChanges = Partial<Omit<UnsignedIdentityDocument, '@context' | 'id' | 'version' | 'prev'>>

export function buildNextVersion(former: IdentityDocument, changes: IdentityChanges): UnsignedIdentityDocument {
  const unsigned = withoutMember(former, 'proof') as unknown as UnsignedIdentityDocument
  return { ...unsigned, ...changes, version: former.version + 1, prev: toHex(identityDocumentHash(former)) }
}

/**
 * Signs a version with an update or recovery key. `created` is an instant in UTC, such as `new Date(ms).toISOString()`.
 */
export function signIdentityDocument(
  document: UnsignedIdentityDocument,
  key: KeyPair,
  created: string,
  profile: NetworkProfile
): IdentityDocument {
  return addProof(
    document,
    {
      created,
      verificationMethod: didKeyUrl(key.publicKey),
      proofPurpose: 'assertionMethod',
      domain: toHex(profileHash(profile))
    },
    key.secretKey
  )
}

/** How proofs of versions name their key: update and recovery keys are not verification methods of the document. */
export function didKeyUrl(publicKey: Uint8Array): string {
  const key = encodeMultikey(publicKey)
  return `did:key:${key}#${key}`
}

function relativeGenesis(document: UnsignedIdentityDocument): object {
  const { id: did } = document
  const relative = (id: string): string => (id.startsWith(`${did}#`) ? id.slice(did.length) : id)
  return {
    ...withoutMember(withoutMember(document, 'id'), 'proof'),
    verificationMethod: document.verificationMethod.map((method) => ({
      ...withoutMember(method, 'controller'),
      id: relative(method.id)
    })),
    ...(document.authentication === undefined ? {} : { authentication: document.authentication.map(relative) }),
    ...(document.assertionMethod === undefined ? {} : { assertionMethod: document.assertionMethod.map(relative) }),
    ...(document.service === undefined
      ? {}
      : { service: document.service.map((service) => ({ ...service, id: relative(service.id) })) })
  }
}

/** Ids are distinct fragments of this DID; references point to existing verification methods. */
function checkIds(document: UnsignedIdentityDocument, profile: NetworkProfile): void {
  try {
    parseDid(document.id, profile)
  } catch (error) {
    if (error instanceof EncodingError) throw new IdentityError('document', `id: ${error.detail}`, { cause: error })
    throw error
  }
  const prefix = `${document.id}#`
  const methods = document.verificationMethod.map(({ id }) => id)
  const ids = [...methods, ...(document.service ?? []).map(({ id }) => id)]
  for (const id of ids) {
    if (!id.startsWith(prefix) || !/^[A-Za-z0-9._~-]+$/.test(id.slice(prefix.length)))
      throw new IdentityError('document', `${id}: an id here is ${prefix} and a fragment`)
  }
  if (new Set(ids).size !== ids.length) throw new IdentityError('document', 'two ids are the same')
  if (document.verificationMethod.some(({ controller }) => controller !== document.id))
    throw new IdentityError('document', 'controller: must be the DID of the document')
  for (const reference of [...(document.authentication ?? []), ...(document.assertionMethod ?? [])]) {
    if (!methods.includes(reference))
      throw new IdentityError('document', `${reference}: there is no such verification method`)
  }
}
