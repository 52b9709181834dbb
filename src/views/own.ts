import * as v from 'valibot'
import { component, CountSchema, NameSchema, TimeSchema } from './common.ts'

export const NAME_WARNING_CODES = [
  'changing',
  'contested',
  'lost',
  'changed',
  'sold',
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

export const OwnedNameSchema = component('OwnedName', {
  name: NameSchema,
  state: v.pipe(
    v.picklist(['live', 'grace', 'lapsed', 'changing', 'contested', 'lost', 'changed', 'sold']),
    v.description(
      '`changing`: other keys wait that one secret alone has signed; `contested`: peers name another claim; `lost`: they have settled on it; `changed`: the keys of this claim are ' +
        "another owner's now; `sold`: that is final"
    )
  ),
  sold: v.optional(
    v.pipe(
      v.object({
        to: v.pipe(v.string(), v.description('The signing key that the name has now, hexadecimal')),
        at: v.pipe(TimeSchema, v.description('Since when most peers call that final'))
      }),
      v.description('Of a name that is `sold`. Releasing it takes it off the list')
    )
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
  records: v.pipe(
    v.nullable(CountSchema),
    v.description('Of the newest zone signed here; 0: the name points nowhere. Null where its payload is no zone')
  ),
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
})
export type OwnedNameView = v.InferOutput<typeof OwnedNameSchema>
/** Whether a name in this state is its daemon's to use, as far as peers say. */
export function isStillOurs(state: OwnedNameView['state']): boolean {
  return state !== 'lapsed' && state !== 'lost' && state !== 'changed' && state !== 'sold'
}
export type RenewalView = OwnedNameView['renewal']
export type NameWarning = OwnedNameView['warnings'][number]
export const OwnedNameListSchema = v.array(OwnedNameSchema)

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

const OwnIdentitySchema = component('OwnIdentity', {
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
})
export const OwnIdentityListSchema = v.array(OwnIdentitySchema)
/** An identity that this daemon published or adopted, and keeps published. */
export type OwnIdentityView = v.InferOutput<typeof OwnIdentitySchema>

export const NameOrDidSchema = v.pipe(v.string(), v.nonEmpty(), v.maxLength(256), v.description('A name or a DID'))

export const WantedSchema = component('Wanted', {
  id: NameOrDidSchema,
  state: v.pipe(
    v.picklist(['looking', 'not-found', 'other-owner', 'offered', 'adopted']),
    v.description(
      '`looking`: no peer could be asked yet. `not-found`, `other-owner`: the result of ' +
        'the last look; the daemon looks again. `offered`: the owner has not accepted the offer of this daemon, as ' +
        'far as peers show. `adopted`: this daemon has it'
    )
  ),
  detail: v.string(),
  since: TimeSchema,
  looked_at: v.pipe(v.nullable(TimeSchema), v.description('The last look since the daemon started'))
})
export const WantedListSchema = v.array(WantedSchema)
export type WantedView = v.InferOutput<typeof WantedSchema>
