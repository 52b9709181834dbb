import * as v from 'valibot'
import { CountSchema } from '../../views/common.ts'
import { committedBy, storedBy } from '../../views/stored-by.ts'

/** An object used as a map. (The library's record takes arrays too; its output lacks keys such as "constructor".) */
export function mapSchema<Value extends v.GenericSchema>(value: Value) {
  return v.pipe(
    v.unknown(),
    v.check((input) => typeof input === 'object' && input !== null && !Array.isArray(input), 'Expected an object'),
    v.record(v.string(), value)
  )
}

export const SuccessSchema = v.pipe(v.object({ success: v.literal(true) }), v.metadata({ ref: 'Success' }))

export const StoredSchema = v.pipe(v.object({ success: v.literal(true), ...storedBy }), v.metadata({ ref: 'Stored' }))
export type StoredBody = v.InferOutput<typeof StoredSchema>

export const CommittedSchema = v.pipe(
  v.object({
    success: v.literal(true),
    ...committedBy
  }),
  v.metadata({ ref: 'Committed' })
)
export type CommittedBody = v.InferOutput<typeof CommittedSchema>

export const ZonePublishedSchema = v.pipe(
  v.object({ success: v.literal(true), serial: CountSchema, ...storedBy }),
  v.metadata({ ref: 'ZonePublished' })
)
export type ZonePublishedBody = v.InferOutput<typeof ZonePublishedSchema>

export const IdentityPublishedSchema = v.pipe(
  v.object({ success: v.literal(true), did: v.string(), version: CountSchema, ...storedBy }),
  v.metadata({ ref: 'IdentityPublished' })
)
export type IdentityPublishedBody = v.InferOutput<typeof IdentityPublishedSchema>
