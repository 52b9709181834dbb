import * as v from 'valibot'
import { component, CountSchema, ErrorCodeSchema, NameSchema, TimeSchema } from './common.ts'

export const TaskIdSchema = v.pipe(v.string(), v.description('Opaque'))

const PlaceSchema = v.picklist(['local', 'farm'])

export const MoveTaskSchema = component('MoveTask', {
  place: v.pipe(PlaceSchema, v.description('`local`: this machine. `farm`: a worker of `vdf.farm`'))
})
export type TaskPlace = v.InferOutput<typeof PlaceSchema>

export const TaskSchema = component('Task', {
  task_id: TaskIdSchema,
  name: NameSchema,
  kind: v.picklist(['register', 'renew']),
  status: v.pipe(v.picklist(['running', 'completed', 'failed']), v.description('A queued or paused task is running')),
  phase: v.picklist(['queued', 'commit', 'pulse', 'evaluate', 'prove', 'reveal', 'done']),
  paused: v.boolean(),
  queue_position: v.pipe(v.nullable(CountSchema), v.description('Place among the tasks that wait for a slot, from 1')),
  stalled: v.pipe(
    v.nullable(v.object({ code: ErrorCodeSchema, message: v.string() })),
    v.description('What blocks a running task; it is tried again by itself')
  ),
  iterations: v.pipe(CountSchema, v.description('Squarings required in all')),
  progress: v.pipe(
    CountSchema,
    v.description('Squarings done, at most one second old; after a crash those of the newest checkpoint')
  ),
  phase_progress: v.pipe(v.number(), v.minValue(0), v.maxValue(1), v.description('Within the proving phase')),
  moved_to: v.pipe(v.nullable(PlaceSchema), v.description('Where it was moved; null: the daemon chooses')),
  place: v.pipe(v.nullable(PlaceSchema), v.description('Where it is computed; null while nothing is')),
  worker: v.pipe(v.nullable(v.string()), v.description('On a farm: who computes it; null while it waits for a worker')),
  iterations_per_second: v.nullable(v.number()),
  eta_seconds: v.nullable(v.number()),
  deadline: v.pipe(v.nullable(TimeSchema), v.description('The last moment at which the claim is still witnessed')),
  created_at: TimeSchema,
  updated_at: TimeSchema,
  resumed: v.pipe(CountSchema, v.description('How often it resumed after a restart')),
  error: v.nullable(v.object({ code: ErrorCodeSchema, message: v.string() }))
})
export type TaskView = v.InferOutput<typeof TaskSchema>
export type TaskKind = TaskView['kind']
export type TaskStatus = TaskView['status']
export type TaskPhase = TaskView['phase']

export const TaskListSchema = v.array(TaskSchema)

export const EstimateSchema = component('Estimate', {
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
  renewal_iterations: v.pipe(CountSchema, v.description('Squarings of each renewal of the name')),
  renewals: v.pipe(CountSchema, v.description('How many renewals the network allows after a registration')),
  gain_seconds: v.pipe(
    v.nullable(v.number()),
    v.description('Of a renewal: by how much it moves the end of the lease; null for a registration')
  ),
  left: v.pipe(
    v.nullable(CountSchema),
    v.description('Of a renewal: how many the network still allows before it; null for a registration')
  )
})
export type Estimate = v.InferOutput<typeof EstimateSchema>

/** What a renewal gives; null for names that are not ours. */
export type RenewalGain = Pick<Estimate, 'gain_seconds' | 'left'>
