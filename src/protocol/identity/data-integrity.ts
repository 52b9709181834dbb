/**
 * W3C Data Integrity proofs of the cryptosuite eddsa-jcs-2022 (Data Integrity EdDSA Cryptosuites v1.0, section 3.3).
 */
import { faultOf } from '../encoding/issue.ts'
import { concatBytes, sha256 } from '../encoding/bytes.ts'
import { decodeMultibase, encodeMultibase, decodeMultikey } from './did.ts'
import { sign, verifyStrict } from '../crypto/ed25519.ts'
import { EncodingError, ProtocolError } from '../errors.ts'
import { type JsonObject, type JsonValue, canonicalJson, canonicalJsonBytes } from '../encoding/jcs.ts'
import * as v from 'valibot'

/** What is signed of a proof: all but `proofValue`. More members may follow. */
interface ProofConfig {
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

type ProofOptions = Pick<ProofConfig, 'created' | 'verificationMethod' | 'proofPurpose' | 'domain'>

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

export const text = (max: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(max))

/**
 * An absolute URI of RFC 3986, by its scheme. Visible ASCII only: other spaces depend on a Unicode table [Unicode
 * tables differ between versions].
 */
export const uri = v.pipe(
  v.string(),
  v.maxLength(2048),
  v.regex(/^[a-zA-Z][a-zA-Z0-9+.-]*:[!-~]+$/, 'must be an absolute URI')
)

/** A UTC date-time as in XML Schema, to the second or finer; a day of the calendar, hours to 23 and seconds to 59. */
export const instant = v.pipe(
  v.string(),
  v.regex(
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/,
    'must be a date-time in UTC, such as 2026-01-01T00:00:00Z'
  ),
  v.check(isOnCalendar, 'must be a date that exists')
)

export const multikey = v.pipe(
  v.string(),
  v.check((value) => isMultikey(value), 'must be the Multikey of an Ed25519 public key')
)

/** The proof of our documents: the profile's hash as domain, no unknown member. */
export const proofSchema = v.strictObject({
  type: v.literal('DataIntegrityProof'),
  cryptosuite: v.literal('eddsa-jcs-2022'),
  created: instant,
  verificationMethod: text(512),
  proofPurpose: v.literal('assertionMethod'),
  domain: v.string(),
  '@context': v.optional(v.array(v.string())),
  proofValue: text(100)
})

/** Parses by a schema or throws what `fail` returns for the first issue. */
export function parseBy<TSchema extends v.GenericSchema>(
  schema: TSchema,
  json: unknown,
  fail: (detail: string) => ProtocolError
): v.InferOutput<TSchema> {
  const result = v.safeParse(schema, json)
  if (result.success) return result.output
  throw fail(faultOf(result.issues))
}

/**
 * By the Gregorian calendar, not `Date.parse`: some engines read the 30th of February as the 2nd of March [dates that
 * only some engines know].
 */
function isOnCalendar(value: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = value.split(/[-T:.Z]/).map(Number)
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
  return month >= 1 && month <= 12 && day >= 1 && day <= days && hour <= 23 && minute <= 59 && second <= 59
}

function isMultikey(value: string): boolean {
  try {
    decodeMultikey(value)
    return true
  } catch (error) {
    if (error instanceof ProtocolError) return false
    throw error
  }
}
