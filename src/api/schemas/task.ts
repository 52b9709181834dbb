import * as v from 'valibot'
import { CountSchema, TimeSchema } from './common.ts'
import { ErrorCodeSchema } from './problem.ts'
import { NameSchema } from './reveal.ts'
import { ZoneSchema } from './zone.ts'

export const TaskIdSchema = v.pipe(v.string(), v.description('Opaque'))

export const TaskSchema = v.pipe(
  v.object({
    task_id: TaskIdSchema,
    name: NameSchema,
    kind: v.picklist(['register', 'renew']),
    status: v.pipe(v.picklist(['running', 'completed', 'failed']), v.description('A queued or paused task is running')),
    phase: v.picklist(['queued', 'commit', 'pulse', 'evaluate', 'prove', 'reveal', 'done']),
    paused: v.boolean(),
    queue_position: v.pipe(
      v.nullable(CountSchema),
      v.description('Place among the tasks that wait for a slot, from 1')
    ),
    stalled: v.pipe(
      v.nullable(v.object({ code: ErrorCodeSchema, message: v.string() })),
      v.description('What keeps a running task from going on; it is tried again by itself')
    ),
    iterations: v.pipe(CountSchema, v.description('Squarings required in all')),
    progress: v.pipe(CountSchema, v.description('Squarings done; never decreases, at most one second old')),
    phase_progress: v.pipe(v.number(), v.minValue(0), v.maxValue(1), v.description('Within the proving phase')),
    iterations_per_second: v.nullable(v.number()),
    eta_seconds: v.nullable(v.number()),
    deadline: v.pipe(v.nullable(TimeSchema), v.description('The last moment at which the claim is still witnessed')),
    created_at: TimeSchema,
    updated_at: TimeSchema,
    resumed: v.pipe(CountSchema, v.description('How often it was taken up again after a restart')),
    error: v.nullable(v.object({ code: ErrorCodeSchema, message: v.string() }))
  }),
  v.metadata({ ref: 'Task' })
)
export type TaskBody = v.InferOutput<typeof TaskSchema>

export const TaskListSchema = v.array(TaskSchema)

export const TaskStartedSchema = v.pipe(
  v.object({
    task_id: TaskIdSchema,
    message: v.string(),
    gain_seconds: v.optional(
      v.pipe(v.number(), v.description('Of a renewal: by how much it moves the end of the lease, begun now'))
    ),
    left: v.optional(v.pipe(CountSchema, v.description('Of a renewal: how many the network still allows after it')))
  }),
  v.metadata({ ref: 'TaskStarted' })
)
export type TaskStartedBody = v.InferOutput<typeof TaskStartedSchema>

export const StartTaskRequestSchema = v.pipe(
  v.object({ name: NameSchema, zone: v.optional(v.pipe(ZoneSchema, v.description('Published with the reveal'))) }),
  v.metadata({ ref: 'StartTaskRequest' })
)
export type StartTaskRequest = v.InferInput<typeof StartTaskRequestSchema>

export const EstimateRequestSchema = v.pipe(v.object({ name: NameSchema }), v.metadata({ ref: 'EstimateRequest' }))

export const EstimateSchema = v.pipe(
  v.object({
    kind: v.pipe(
      v.picklist(['register', 'renew']),
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
export type EstimateBody = v.InferOutput<typeof EstimateSchema>
