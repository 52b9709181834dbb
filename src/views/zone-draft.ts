import * as v from 'valibot'
import { CountSchema, NameSchema } from './common.ts'

export const ZoneDraftListSchema = v.array(
  v.pipe(
    v.object({
      name: NameSchema,
      serial: CountSchema,
      published_serial: v.pipe(
        v.nullable(CountSchema),
        v.description('Of the newest record signed here; null where there is none yet')
      ),
      records: CountSchema,
      owner: v.pipe(
        v.picklist(['owned', 'registering', 'unowned']),
        v.description('`unowned`: the name is not ours, or no longer; the draft can be discarded only')
      )
    }),
    v.metadata({ ref: 'ZoneDraft' })
  )
)
export type ZoneDraft = v.InferOutput<typeof ZoneDraftListSchema>[number]
