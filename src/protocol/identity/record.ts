/**
 * The stored record of an identity: the whole log, the name it is bound to, and its stamp.
 */
import { concatBytes, lp, u64be, sha256 } from '../encoding/bytes.ts'
import type { Did } from './did.ts'
import { domain, STAMP_NONCE_BYTES, stampHolds } from '../crypto/domain.ts'
import { sign, verifyStrict, SIGNATURE_BYTES } from '../crypto/ed25519.ts'
import { type Name, parseName } from '../name/names.ts'
import {
  type CborValue,
  decodeCanonical,
  encodeCbor,
  arrayField,
  bytesField,
  fieldsOf,
  integerField,
  textField
} from '../encoding/cbor.ts'
import { EncodingError } from '../errors.ts'
import { canonicalJsonBytes, parseCanonicalJson } from '../encoding/jcs.ts'
import { parseIdentityDocument } from './document.ts'
import { type IdentityLog, type IdentityLogOutline, verifyIdentityLog } from './log.ts'
import { type NetworkProfile, profileHash } from '../profile/profile.ts'
import type { ProtocolTime } from '../time.ts'

export interface IdentityBinding {
  readonly name: Name
  /** First p of the claim that owns the name. */
  readonly firstRound: number
  /** By the name's key. */
  readonly signature: Uint8Array
}

/** `domain(kid-binding) ‖ lp(name) ‖ first p ‖ lp(did)`. */
export function identityBindingMessage(
  name: string,
  firstRound: number,
  did: string,
  profileHash: Uint8Array
): Uint8Array {
  return concatBytes(domain('kid-binding', profileHash), lp(name), u64be(firstRound), lp(did))
}

export function signIdentityBinding(
  name: Name,
  firstRound: number,
  did: Did,
  nameSecretKey: Uint8Array,
  profileHash: Uint8Array
): IdentityBinding {
  return {
    name,
    firstRound,
    signature: sign(identityBindingMessage(name, firstRound, did, profileHash), nameSecretKey)
  }
}

/** Whether the owner of a claim (its key and first p) bound its name to the DID. */
export function verifyIdentityBinding(
  binding: IdentityBinding,
  did: Did,
  claim: { readonly name: Name; readonly pubkey: Uint8Array; readonly firstRound: number },
  profileHash: Uint8Array
): boolean {
  if (binding.name !== claim.name || binding.firstRound !== claim.firstRound) return false
  return verifyStrict(
    binding.signature,
    identityBindingMessage(binding.name, binding.firstRound, did, profileHash),
    claim.pubkey
  )
}

/** Work that keeps a document without a name for `document_refresh` rounds from `round`. */
export interface DocumentStamp {
  readonly round: number
  /** 8 bytes. */
  readonly nonce: Uint8Array
}

interface IdentityRecord {
  readonly log: IdentityLog
  readonly binding?: IdentityBinding
  readonly stamp?: DocumentStamp
}

export interface IdentityRecordOutline {
  readonly log: IdentityLogOutline
  readonly binding?: IdentityBinding
  readonly stamp?: DocumentStamp
}

/** A record's own statement of what carries it; its log is unverified. */
export interface IdentityRecordEnvelope {
  /** The RFC 8785 bytes of each version. */
  readonly versions: readonly Uint8Array[]
  readonly binding?: IdentityBinding
  readonly stamp?: DocumentStamp
}

const VERSION = 1

/** CBOR around the documents: heads, binding, stamp. */
const ENVELOPE_BYTES = 2048

export function encodeIdentityRecord({ log, ...carriers }: IdentityRecord): Uint8Array {
  return encodeIdentityEnvelope({
    versions: log.versions.map(({ document }) => canonicalJsonBytes(document)),
    ...carriers
  })
}

/** Deterministic CBOR {v: 1, log: [RFC 8785 bytes of each version], binding?, stamp?}. */
export function encodeIdentityEnvelope({ versions, binding, stamp }: IdentityRecordEnvelope): Uint8Array {
  const fields: Record<string, CborValue> = { v: VERSION, log: [...versions] }
  if (binding !== undefined)
    fields['binding'] = { name: binding.name, firstRound: binding.firstRound, signature: binding.signature }
  if (stamp !== undefined) fields['stamp'] = { round: stamp.round, nonce: stamp.nonce }
  return encodeCbor(fields)
}

/**
 * Decodes a record and verifies its log. Does not verify the binding, which needs the claim. Throws EncodingError,
 * IdentityError or NameError.
 */
export function decodeIdentityRecord(bytes: Uint8Array, profile: NetworkProfile): IdentityRecord {
  const { versions, ...carriers } = decodeIdentityEnvelope(bytes, profile)
  const documents = versions.map((version) =>
    parseIdentityDocument(parseCanonicalJson(version, { maxBytes: profile.limits.kid_bytes }), profile)
  )
  return { log: verifyIdentityLog(documents, profile), ...carriers }
}

/** Decodes the envelope in microseconds, without the documents. Throws EncodingError or NameError. */
export function decodeIdentityEnvelope(bytes: Uint8Array, profile: NetworkProfile): IdentityRecordEnvelope {
  const maxBytes = profile.limits.kid_bytes + ENVELOPE_BYTES
  const fields = fieldsOf(decodeCanonical(bytes, { maxBytes, maxDepth: 2 }), ['v', 'log'], ['binding', 'stamp'])
  if (fields['v'] !== VERSION) throw new EncodingError(`v: version ${VERSION} is expected`)
  const versions = arrayField(fields, 'log').map((document) => {
    if (!(document instanceof Uint8Array)) throw new EncodingError('log: an array of byte strings is expected')
    return document
  })
  return {
    versions,
    ...(Object.hasOwn(fields, 'binding') ? { binding: bindingOf(fields['binding'], profile) } : {}),
    ...(Object.hasOwn(fields, 'stamp') ? { stamp: stampOf(fields['stamp']) } : {})
  }
}

/** A document stamp's subject: `H(domain(document-stamp) ‖ lp(did) ‖ round)`. The stamp works as a commitment's. */
export function documentStampSubject(did: Did, round: number, profileHash: Uint8Array): Uint8Array {
  return sha256(concatBytes(domain('document-stamp', profileHash), lp(did), u64be(round)))
}

interface DocumentFacts {
  readonly time: ProtocolTime
  /** The binding verifies and its claim owns the name, with a lease that is live or in grace. */
  readonly isBoundToLiveName: boolean
}

/**
 * Whether a node keeps a record: bound to a live name, or with a stamp of the last `document_refresh` rounds. A future
 * stamp is invalid, or work done once would count for years. While the beacon is stale nothing lapses, since
 * `time.lapse` does not move.
 */
export function isKept(
  record: Pick<IdentityRecord, 'stamp'> & { readonly log: Pick<IdentityLog, 'did'> },
  facts: DocumentFacts,
  profile: NetworkProfile
): boolean {
  if (facts.isBoundToLiveName) return true
  const { stamp } = record
  if (stamp === undefined || stamp.round > facts.time.now || facts.time.lapse > stamp.round + profile.document_refresh)
    return false
  const hash = profileHash(profile)
  return stampHolds(documentStampSubject(record.log.did, stamp.round, hash), stamp.nonce, profile.stamp_bits, hash)
}

function bindingOf(value: CborValue | undefined, profile: NetworkProfile): IdentityBinding {
  const fields = fieldsOf(value, ['name', 'firstRound', 'signature'])
  return {
    name: parseName(textField(fields, 'name'), profile),
    firstRound: integerField(fields, 'firstRound'),
    signature: bytesField(fields, 'signature', SIGNATURE_BYTES)
  }
}

function stampOf(value: CborValue | undefined): DocumentStamp {
  const fields = fieldsOf(value, ['round', 'nonce'])
  return { round: integerField(fields, 'round'), nonce: bytesField(fields, 'nonce', STAMP_NONCE_BYTES) }
}
