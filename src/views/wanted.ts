import * as v from 'valibot'
import { TimeSchema } from './common.ts'

export const NameOrDidSchema = v.pipe(v.string(), v.nonEmpty(), v.maxLength(256), v.description('A name or a DID'))

export const WantedSchema = v.pipe(
  v.object({
    id: NameOrDidSchema,
    state: v.pipe(
      v.picklist(['looking', 'not-found', 'other-owner', 'adopted']),
      v.description(
        '`looking`: no peer could be asked yet. `not-found`, `other-owner`: the result of ' +
          'the last look; the daemon looks again. `adopted`: this daemon has it'
      )
    ),
    detail: v.string(),
    since: TimeSchema,
    looked_at: v.pipe(v.nullable(TimeSchema), v.description('The last look since the daemon started'))
  }),
  v.metadata({ ref: 'Wanted' })
)
export const WantedListSchema = v.array(WantedSchema)
export type WantedView = v.InferOutput<typeof WantedSchema>
