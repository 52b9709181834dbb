import * as v from 'valibot'
import { decodeMultikey } from './did.ts'
import { ProtocolError } from '../errors.ts'

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
  const [issue] = result.issues
  const path = v.getDotPath(issue)
  const reason = reasonOf(issue)
  throw fail(path === null ? reason : `${path}: ${reason}`)
}

/** In place of the library's "Expected never but received ...". */
function reasonOf({ message, expected, received }: v.BaseIssue<unknown>): string {
  if (received === 'undefined') return 'this member is missing'
  return expected === 'never' ? 'there is no such member' : message
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
