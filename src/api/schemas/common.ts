import * as v from 'valibot'

export const TimeSchema = v.pipe(v.string(), v.isoTimestamp(), v.metadata({ examples: ['2026-11-21T12:00:00.000Z'] }))
export const CountSchema = v.pipe(
  v.number(),
  v.safeInteger('Expected an integer from 0 to 2^53-1'),
  v.minValue(0, 'Expected an integer from 0 to 2^53-1')
)

/** An object used as a map. (The library's record takes arrays too.) */
export function mapSchema<Value extends v.GenericSchema>(value: Value) {
  return v.pipe(
    v.unknown(),
    v.check((input) => typeof input === 'object' && input !== null && !Array.isArray(input), 'Expected an object'),
    v.record(v.string(), value)
  )
}

export const SuccessSchema = v.pipe(v.object({ success: v.literal(true) }), v.metadata({ ref: 'Success' }))

const storedBy = {
  stored_by: v.pipe(CountSchema, v.description('Peers that hold the record')),
  of: v.pipe(CountSchema, v.description('Peers that were asked'))
}

/** Answer of publish. */
export const StoredSchema = v.pipe(v.object({ success: v.literal(true), ...storedBy }), v.metadata({ ref: 'Stored' }))
export type StoredBody = v.InferOutput<typeof StoredSchema>

/** Answer of commit. */
export const CommittedSchema = v.pipe(
  v.object({
    success: v.literal(true),
    ...storedBy,
    pulse_round: v.pipe(
      v.nullable(CountSchema),
      v.description(
        'First round whose pulse the claim may take, by what the peers saw; null where too few saw the commitment in time'
      )
    )
  }),
  v.metadata({ ref: 'Committed' })
)
export type CommittedBody = v.InferOutput<typeof CommittedSchema>

/** Answer of zone publish. */
export const ZonePublishedSchema = v.pipe(
  v.object({ success: v.literal(true), serial: CountSchema, ...storedBy }),
  v.metadata({ ref: 'ZonePublished' })
)
export type ZonePublishedBody = v.InferOutput<typeof ZonePublishedSchema>

/** Answer of publish-kid and publish-manifest. */
export const IdentityPublishedSchema = v.pipe(
  v.object({ success: v.literal(true), did: v.string(), version: CountSchema, ...storedBy }),
  v.metadata({ ref: 'IdentityPublished' })
)
export type IdentityPublishedBody = v.InferOutput<typeof IdentityPublishedSchema>
