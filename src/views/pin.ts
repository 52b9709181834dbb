import * as v from 'valibot'
import { NameSchema, TimeSchema } from './common.ts'

const KeySchema = v.pipe(v.string(), v.hexadecimal(), v.description('Public key'))

export const pinEntries = {
  owner: KeySchema,
  claim_id: v.pipe(
    v.string(),
    v.hexadecimal(),
    v.description('The claim that is meant: another one of its key is not')
  ),
  check_code: v.pipe(v.string(), v.description('The whole check code of that claim')),
  state: v.pipe(
    v.picklist(['tentative', 'firm']),
    v.description('`tentative`: seen once, warns and binds nobody. `firm`: seen twice, no other claim is believed')
  ),
  since: v.pipe(TimeSchema, v.description('The first sighting')),
  second_look: v.pipe(
    v.nullable(TimeSchema),
    v.description('When the daemon looks a second time by itself; null once that has been done')
  ),
  firm_since: v.nullable(TimeSchema),
  until: v.pipe(
    TimeSchema,
    v.description(
      'A firm one: until when no other claim is believed. A tentative one: when it ends, unless it has become firm'
    )
  ),
  rival: v.pipe(
    v.nullable(KeySchema),
    v.description('Owner of another claim that most peers named shortly before: the name is contested')
  ),
  contested_until: v.nullable(TimeSchema)
}

const PinSchema = v.pipe(v.object({ name: NameSchema, ...pinEntries }), v.metadata({ ref: 'Pin' }))
export const PinListSchema = v.array(PinSchema)
/** A claim, with its owner, that this daemon has seen as settled (docs/protocol/rules.md, 11). */
export type PinView = v.InferOutput<typeof PinSchema>
