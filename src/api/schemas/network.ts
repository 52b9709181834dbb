import * as v from 'valibot'
import { NAME_WARNING_CODES } from '../../registry/types.ts'
import { CountSchema, TimeSchema } from './common.ts'
import { NameSchema } from './reveal.ts'

const ModeSchema = v.picklist(['full', 'light', 'offline'])

const DiversitySchema = v.object({
  peers: v.pipe(
    CountSchema,
    v.description('Diverse peers of the routing table: at most so many of one prefix as the network lets count')
  ),
  prefixes: v.pipe(CountSchema, v.description('The /24 and /48 that its peers are in')),
  wide_prefixes: v.pipe(CountSchema, v.description('The /16 and /32 that its peers are in')),
  needed: v.pipe(
    v.object({
      answer: v.pipe(CountSchema, v.description('More than half of k: an answer that is not thin')),
      settle: v.pipe(CountSchema, v.description('Settling and repair: repair_quorum')),
      adopt: v.pipe(CountSchema, v.description('Adoption by nodes that hold nothing: witness_quorum'))
    }),
    v.description('Diverse peers')
  ),
  missing: v.pipe(
    v.object({ peers: CountSchema, prefixes: CountSchema, wide_prefixes: CountSchema }),
    v.description('The fewest that have to come for all of that; the prefixes are further ones')
  ),
  enough: v.boolean(),
  message: v.pipe(
    v.nullable(v.string()),
    v.description('What is missing and what that means, in plain words; null when there are enough')
  )
})

export const NetworkStatusSchema = v.pipe(
  v.object({
    status: v.picklist(['online', 'connecting', 'offline']),
    peers: v.pipe(CountSchema, v.description('Connected peers')),
    mode: ModeSchema,
    peer_id: v.string(),
    network: v.string(),
    beacon: v.object({
      round: v.pipe(v.nullable(CountSchema), v.description('The highest verified round')),
      age_seconds: v.nullable(v.number())
    }),
    records: v.pipe(CountSchema, v.description('Records held for the network')),
    diversity: v.pipe(
      v.nullable(DiversitySchema),
      v.description('Whether the peers known are of enough address prefixes; null where the network limits none')
    )
  }),
  v.metadata({ ref: 'NetworkStatus' })
)
export type NetworkStatusBody = v.InferOutput<typeof NetworkStatusSchema>

export const OwnedNamesSchema = v.array(NameSchema)

export const OwnedNameSchema = v.pipe(
  v.object({
    name: NameSchema,
    state: v.pipe(
      v.picklist(['live', 'grace', 'lapsed', 'contested', 'lost']),
      v.description('`contested`: peers name another key; `lost`: they have settled on it')
    ),
    lease_end: TimeSchema,
    serial: v.pipe(CountSchema, v.description('Of the local zone')),
    published_serial: CountSchema,
    renewal: v.object({
      state: v.pipe(
        v.picklist(['scheduled', 'running', 'paused', 'failed', 'off', 'released', 'impossible']),
        v.description(
          '`failed`: it is due and tried again by itself; `off`: auto_renew is; `released`: its owner lets it lapse; `impossible`: the name is lost or has lapsed, or its chain of renewals is full'
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
export type OwnedNameBody = v.InferOutput<typeof OwnedNameSchema>
export const OwnedNameListSchema = v.array(OwnedNameSchema)
