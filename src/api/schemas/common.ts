import * as v from 'valibot'
import { component } from '../../views/common.ts'
import { committedBy, CountSchema, ErrorCodeSchema, storedBy } from '../../views/common.ts'

/** An object used as a map. (The library's record takes arrays too; its output lacks keys such as "constructor".) */
export function mapSchema<Value extends v.GenericSchema>(value: Value) {
  return v.pipe(
    v.unknown(),
    v.check((input) => typeof input === 'object' && input !== null && !Array.isArray(input), 'Expected an object'),
    v.record(v.string(), value)
  )
}

export const SuccessSchema = component('Success', { success: v.literal(true) })

export const StoredSchema = component('Stored', { success: v.literal(true), ...storedBy })
export type StoredBody = v.InferOutput<typeof StoredSchema>

export const CommittedSchema = component('Committed', {
  success: v.literal(true),
  ...committedBy
})
export type CommittedBody = v.InferOutput<typeof CommittedSchema>

export const ZonePublishedSchema = component('ZonePublished', {
  success: v.literal(true),
  serial: CountSchema,
  ...storedBy
})
export type ZonePublishedBody = v.InferOutput<typeof ZonePublishedSchema>

export const IdentityPublishedSchema = component('IdentityPublished', {
  success: v.literal(true),
  did: v.string(),
  version: CountSchema,
  ...storedBy
})
export type IdentityPublishedBody = v.InferOutput<typeof IdentityPublishedSchema>

const FieldErrorSchema = v.object({
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

export const ErrorPageSchema = component('ErrorEntry', {
  code: ErrorCodeSchema,
  status: v.nullable(v.number()),
  title: v.string(),
  cause: v.string(),
  cure: v.string()
})
export type ErrorPageBody = v.InferOutput<typeof ErrorPageSchema>
