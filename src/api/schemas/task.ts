import * as v from 'valibot'
import { CountSchema, NameSchema } from '../../views/common.ts'
import { TaskIdSchema } from '../../views/task.ts'
import { ZoneSchema } from './zone.ts'

export const TaskStartedSchema = v.pipe(
  v.object({
    task_id: TaskIdSchema,
    message: v.string(),
    gain_seconds: v.optional(
      v.pipe(v.number(), v.description('Of a renewal started now: how far it moves the end of the lease'))
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
