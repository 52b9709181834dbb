import * as v from 'valibot'
import { CountSchema, TimeSchema } from './common.ts'
import { TaskSchema } from './task.ts'

export const EstimateSchema = v.pipe(
  v.object({
    kind: v.pipe(
      TaskSchema.entries.kind,
      v.description('`renew` where this daemon owns the name, unless that was lost or has lapsed')
    ),
    iterations: CountSchema,
    iterations_per_second: v.pipe(v.number(), v.description('On one thread of this machine, measured')),
    seconds: v.pipe(
      v.number(),
      v.description('From now to the finished proof: waiting for a slot and for the pulse, squaring, proving')
    ),
    queued_seconds: v.pipe(v.number(), v.description('Of these, waiting for the tasks before it')),
    proving_seconds: v.pipe(v.number(), v.description('Of these, proving after the last squaring')),
    proof_kept: v.pipe(
      v.boolean(),
      v.description('A proof that was finished earlier is taken up: only publishing is left')
    ),
    lease_start: TimeSchema,
    lease_end: TimeSchema,
    gain_seconds: v.pipe(
      v.nullable(v.number()),
      v.description('Of a renewal: by how much it moves the end of the lease; null for a registration')
    ),
    left: v.pipe(
      v.nullable(CountSchema),
      v.description('Of a renewal: how many the network still allows before it; null for a registration')
    )
  }),
  v.metadata({ ref: 'Estimate' })
)
export type Estimate = v.InferOutput<typeof EstimateSchema>

/** What a renewal gives; null for names that are not ours. */
export type RenewalGain = Pick<Estimate, 'gain_seconds' | 'left'>
