import * as v from 'valibot'
import { CountSchema, NameSchema, TimeSchema } from './common.ts'

export const OwnIdentitySchema = v.pipe(
  v.object({
    did: v.string(),
    version: v.pipe(CountSchema, v.description('Of the newest version that this daemon published or adopted')),
    state: v.pipe(
      v.picklist(['active', 'deactivated', 'superseded']),
      v.description('`superseded`: the network showed another newest version since, such as a recovery')
    ),
    created: v.pipe(TimeSchema, v.description('When version 1 was signed, as its signer says')),
    updated: v.pipe(TimeSchema, v.description('When the newest version was signed, as its signer says')),
    name: v.pipe(v.nullable(NameSchema), v.description('The name that carries it; null where its stamp alone does')),
    index: v.pipe(
      v.nullable(CountSchema),
      v.description("Of the seed's key that may sign the next version; null for another key, or a locked seed")
    ),
    services: CountSchema,
    recovery_keys: CountSchema
  }),
  v.metadata({ ref: 'OwnIdentity' })
)
export const OwnIdentityListSchema = v.array(OwnIdentitySchema)
/** An identity that this daemon published or adopted, and keeps published. */
export type OwnIdentityView = v.InferOutput<typeof OwnIdentitySchema>
