import * as v from 'valibot'
import { committedBy, CountSchema, ErrorCodeSchema, storedBy } from '../../views/common.ts'

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

export const FieldErrorSchema = v.object({
  path: v.pipe(v.string(), v.description('As a JSON pointer without its first slash, such as `records/www/0/value`')),
  message: v.string()
})

/** RFC 9457. More members may follow, such as `task_id` with SVC-REG-002, `taken_up` with SVC-REG-001. */
export const ProblemSchema = v.pipe(
  v.looseObject({
    type: v.pipe(v.string(), v.description('URI reference of the page that explains the code')),
    title: v.string(),
    status: v.number(),
    detail: v.string(),
    code: ErrorCodeSchema,
    request_id: v.string(),
    errors: v.optional(v.array(FieldErrorSchema))
  }),
  v.metadata({ ref: 'Problem' })
)
export type ProblemBody = v.InferOutput<typeof ProblemSchema>

export const ErrorPageSchema = v.pipe(
  v.object({
    code: ErrorCodeSchema,
    status: v.nullable(v.number()),
    title: v.string(),
    cause: v.string(),
    cure: v.string()
  }),
  v.metadata({ ref: 'ErrorEntry' })
)
export type ErrorPageBody = v.InferOutput<typeof ErrorPageSchema>
