import * as v from 'valibot'
import { ERROR_TABLE, type ErrorCode } from '../error-table.ts'

/** An object that the OpenAPI document lists under a name of its own. */
export function component<const Entries extends v.ObjectEntries>(ref: string, entries: Entries) {
  return v.pipe(v.object(entries), v.metadata({ ref }))
}

export const TimeSchema = v.pipe(v.string(), v.isoTimestamp(), v.metadata({ examples: ['2026-11-21T12:00:00.000Z'] }))
export const CountSchema = v.pipe(
  v.number(),
  v.safeInteger('Expected an integer from 0 to 2^53-1'),
  v.minValue(0, 'Expected an integer from 0 to 2^53-1')
)

/** The name as a body carries it; the registry judges whether it is valid (SVC-NAM-001). */
export const NameSchema = v.pipe(
  v.string(),
  v.nonEmpty('Expected a name'),
  v.maxLength(255, 'Expected at most 255 characters'),
  v.description('`<label>.<tld>`'),
  v.metadata({ examples: ['alice.chronym'] })
)

export const ErrorCodeSchema = v.pipe(
  v.picklist(Object.keys(ERROR_TABLE) as ErrorCode[]),
  v.metadata({ ref: 'ErrorCode' })
)

export const storedBy = {
  stored_by: v.pipe(CountSchema, v.description('Peers that hold the record')),
  of: v.pipe(CountSchema, v.description('Peers that were asked'))
}
export type StoredBy = v.InferOutput<v.ObjectSchema<typeof storedBy, undefined>>

export const committedBy = {
  ...storedBy,
  pulse_round: v.pipe(
    v.nullable(CountSchema),
    v.description(
      'First round whose pulse the claim may take, by what the peers saw; null where too few saw the commitment in time'
    )
  )
}
export type CommittedBy = v.InferOutput<v.ObjectSchema<typeof committedBy, undefined>>
