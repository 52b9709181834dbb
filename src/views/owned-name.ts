import * as v from 'valibot'
import { CountSchema, NameSchema, TimeSchema } from './common.ts'

export const NAME_WARNING_CODES = [
  'contested',
  'lost',
  'grace',
  'lapsed',
  'renewal-off',
  'renewal-failed',
  'renewal-paused',
  'renewal-stalled',
  'renewal-late',
  'chain-ends',
  'other-daemon',
  'released'
] as const
export type NameWarningCode = (typeof NAME_WARNING_CODES)[number]

export const OwnedNamesSchema = v.array(NameSchema)

export const OwnedNameSchema = v.pipe(
  v.object({
    name: NameSchema,
    state: v.pipe(
      v.picklist(['live', 'grace', 'lapsed', 'contested', 'lost']),
      v.description('`contested`: peers name another key; `lost`: they have settled on it')
    ),
    check_code: v.pipe(
      v.string(),
      v.description('The whole check code, 26 characters: `alice--` and its first six or more is this claim alone')
    ),
    coded_name: v.pipe(
      v.nullable(NameSchema),
      v.description('The name with the first six characters of its code; null where DNS has no room for it')
    ),
    lease_end: TimeSchema,
    serial: v.pipe(CountSchema, v.description('Of the local zone')),
    published_serial: CountSchema,
    renewal: v.object({
      state: v.pipe(
        v.picklist(['scheduled', 'running', 'paused', 'failed', 'off', 'released', 'impossible']),
        v.description(
          '`failed`: it is due and tried again by itself. `off`: auto_renew is off. `released`: its owner lets ' +
            'it lapse. `impossible`: the name is lost or has lapsed, or its chain of renewals is full'
        )
      ),
      due: v.pipe(v.nullable(TimeSchema), v.description('From when on the daemon renews it, or would')),
      task_id: v.pipe(v.nullable(v.string()), v.description('The renewal under way')),
      left: v.pipe(CountSchema, v.description('Renewals that the network still allows'))
    }),
    warnings: v.pipe(
      v.array(
        v.object({
          code: v.picklist(NAME_WARNING_CODES),
          message: v.pipe(v.string(), v.description('In plain words, with the cure'))
        })
      ),
      v.description('What its owner should know or do; empty while all is well')
    )
  }),
  v.metadata({ ref: 'OwnedName' })
)
export type OwnedNameView = v.InferOutput<typeof OwnedNameSchema>
export type RenewalView = OwnedNameView['renewal']
export type NameWarning = OwnedNameView['warnings'][number]
export const OwnedNameListSchema = v.array(OwnedNameSchema)
