import * as v from 'valibot'
import { ErrorCodeSchema } from '../../views/common.ts'

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
