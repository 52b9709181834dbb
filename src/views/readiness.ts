import * as v from 'valibot'
import { component } from './common.ts'

export const ReadinessSchema = component('Readiness', {
  ready: v.boolean(),
  checks: v.array(
    v.object({
      name: v.string(),
      ok: v.boolean(),
      detail: v.pipe(v.string(), v.description('In plain words')),
      warning: v.optional(v.pipe(v.boolean(), v.description('It works, but needs attention'))),
      code: v.optional(v.pipe(v.picklist(['seed-locked']), v.description('Why, for programs')))
    })
  )
})
export type ReadinessBody = v.InferOutput<typeof ReadinessSchema>
export type ReadinessCheck = ReadinessBody['checks'][number]
