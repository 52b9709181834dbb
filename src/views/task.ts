import * as v from 'valibot'
import { CountSchema, ErrorCodeSchema, NameSchema, TimeSchema } from './common.ts'

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
      v.description('What blocks a running task; it is tried again by itself')
    ),
    iterations: v.pipe(CountSchema, v.description('Squarings required in all')),
    progress: v.pipe(CountSchema, v.description('Squarings done; never decreases, at most one second old')),
    phase_progress: v.pipe(v.number(), v.minValue(0), v.maxValue(1), v.description('Within the proving phase')),
    iterations_per_second: v.nullable(v.number()),
    eta_seconds: v.nullable(v.number()),
    deadline: v.pipe(v.nullable(TimeSchema), v.description('The last moment at which the claim is still witnessed')),
    created_at: TimeSchema,
    updated_at: TimeSchema,
    resumed: v.pipe(CountSchema, v.description('How often it resumed after a restart')),
    error: v.nullable(v.object({ code: ErrorCodeSchema, message: v.string() }))
  }),
  v.metadata({ ref: 'Task' })
)
export type TaskView = v.InferOutput<typeof TaskSchema>
export type TaskKind = TaskView['kind']
export type TaskStatus = TaskView['status']
export type TaskPhase = TaskView['phase']

export const TaskListSchema = v.array(TaskSchema)
