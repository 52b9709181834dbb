/**
 * W3C Data Integrity proofs of the cryptosuite eddsa-jcs-2022 (Data Integrity EdDSA Cryptosuites v1.0, section 3.3).
 */
import { concatBytes, sha256 } from '../encoding/bytes.ts'
import { decodeMultibase, encodeMultibase } from './did.ts'
import { sign, verifyStrict } from '../crypto/ed25519.ts'
import { EncodingError } from '../errors.ts'
import type { JsonObject, JsonValue } from '../encoding/jcs.ts'
import { canonicalJson, canonicalJsonBytes } from '../encoding/jcs.ts'

/** What is signed of a proof: all but `proofValue`. More members may follow. */
export interface ProofConfig {
  readonly type: 'DataIntegrityProof'
  readonly cryptosuite: 'eddsa-jcs-2022'
  readonly created: string
  readonly verificationMethod: string
  readonly proofPurpose: string
  /** Ours: the profile hash in hex. */
  readonly domain?: string
  readonly '@context'?: JsonValue
}

export interface DataIntegrityProof extends ProofConfig {
  /** base58btc multibase of the signature. */
  readonly proofValue: string
}

export type ProofOptions = Pick<ProofConfig, 'created' | 'verificationMethod' | 'proofPurpose' | 'domain'>

/** The bytes signed: SHA-256 of the proof's configuration, then SHA-256 of the document, both as RFC 8785 JSON. */
export function proofHashData(unsecured: object, config: object): Uint8Array {
  return concatBytes(sha256(canonicalJsonBytes(config)), sha256(canonicalJsonBytes(unsecured)))
}

/** Adds or replaces the document's proof. `created` is a parameter: no clock here. */
export function addProof<T extends object>(
  document: T,
  options: ProofOptions,
  secretKey: Uint8Array
): T & { proof: DataIntegrityProof } {
  const unsecured = withoutMember(document, 'proof')
  const context = unsecured['@context']
  const config: ProofConfig = {
    type: 'DataIntegrityProof',
    cryptosuite: 'eddsa-jcs-2022',
    ...options,
    ...(context === undefined ? {} : { '@context': context })
  }
  const proofValue = encodeMultibase(sign(proofHashData(unsecured, config), secretKey))
  return { ...document, proof: { ...config, proofValue } }
}

/** Whether a document's proof verifies under a key. Never throws for bad documents; does not say whose key it is. */
export function checkProof(document: object, publicKey: Uint8Array): boolean {
  const { proof, ...unsecured } = document as JsonObject
  if (!isObject(proof) || proof['type'] !== 'DataIntegrityProof' || proof['cryptosuite'] !== 'eddsa-jcs-2022')
    return false
  const { proofValue, ...config } = proof
  if (typeof proofValue !== 'string') return false
  const context = config['@context']
  if (context !== undefined && !startsWith(unsecured['@context'], context)) return false
  try {
    const signed = context === undefined ? unsecured : { ...unsecured, '@context': context }
    return verifyStrict(decodeMultibase(proofValue), proofHashData(signed, config), publicKey)
  } catch (error) {
    if (error instanceof EncodingError) return false
    throw error
  }
}

export function withoutMember(document: object, member: string): JsonObject {
  return Object.fromEntries(Object.entries(document as JsonObject).filter(([key]) => key !== member))
}

/** Whether the document's context begins with the proof's values, in order (section 3.3.2, step 4). */
function startsWith(context: JsonValue | undefined, start: JsonValue): boolean {
  const whole = listOf(context)
  return listOf(start).every(
    (value, index) => index < whole.length && canonicalJson(value) === canonicalJson(whole[index])
  )
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return value === undefined ? [] : Array.isArray(value) ? (value as readonly JsonValue[]) : [value]
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
