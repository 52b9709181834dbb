import * as v from 'valibot'
import { CountSchema } from './common.ts'

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
