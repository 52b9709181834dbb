import { Hono, type Context } from 'hono'
import { ServiceError } from '../../errors.ts'
import { FarmViewSchema } from '../../views/farm.ts'
import {
  EstimateSchema,
  MoveTaskSchema,
  type RenewalGain,
  TaskListSchema,
  TaskSchema,
  type TaskView
} from '../../views/task.ts'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../http/request.ts'
import { createIdempotentRunner } from '../access/idempotency.ts'
import { IDEMPOTENCY_KEY_PARAMETER, LAST_EVENT_ID_PARAMETER, TASK_PARAMETER } from '../openapi/parameters.ts'
import { SuccessSchema } from '../schemas/common.ts'
import {
  EstimateRequestSchema,
  type StartTaskRequest,
  StartTaskRequestSchema,
  type TaskStartedBody,
  TaskStartedSchema
} from '../schemas/names.ts'
import type { ApiServices } from '../services.ts'
import { eventStream, lastEventId, type EventStreamOptions, type ServerSentEvent } from '../http/sse.ts'

const TAG = 'VDF tasks'
const STARTED = {
  202: {
    description: 'The task is queued or running; `Location` is its status',
    schema: TaskStartedSchema,
    headers: {
      Location: { description: 'Path of the status of the task', schema: { type: 'string' as const } },
      'Idempotency-Replayed': {
        description: '`true` where this is the first answer to its Idempotency-Key, given again',
        schema: { type: 'string' as const }
      }
    }
  }
}
/** A task may end between the decision to cancel it and the request, which would clear it. */
const ONLY_PARAMETER = {
  name: 'only',
  in: 'query',
  description: '`running`: cancels a running task; one that has ended stays (SVC-TSK-004)',
  example: 'running',
  schema: { pattern: '^running$' }
} as const
/** A zone that comes with a claim is published with it. */
const ZONE_ACCESS = { zone: ['publish'] } as const
const START_ERRORS = [
  'SVC-NAM-001',
  'SVC-NAM-002',
  'SVC-REG-002',
  'SVC-REQ-006',
  'SVC-RES-001',
  'SVC-BCN-001',
  'SVC-VDF-001',
  'SVC-ZON-002',
  'SVC-STO-001'
] as const

function found<T extends TaskView | true>(task: T | false | undefined): T {
  if (!task) throw new ServiceError('SVC-TSK-001', 'No task has this id.')
  return task
}

const NO_GAIN: RenewalGain = { gain_seconds: null, left: null }

/** What a renewal gives is part of the answer: it is little soon after the last one. */
function startedText(message: string, { gain_seconds: gain, left }: RenewalGain): Omit<TaskStartedBody, 'task_id'> {
  if (gain === null || left === null) return { message }
  const after = Math.max(0, left - 1)
  return {
    message:
      `${message}; it moves the end of the lease by ${Math.round(gain)} s, and ${after} renewals are ` +
      'left after it',
    gain_seconds: gain,
    left: after
  }
}

export function taskRoutes({ registry, tasks, idempotency, farm }: ApiServices, streams: EventStreamOptions) {
  const idempotent = createIdempotentRunner(idempotency)

  const start = (
    c: Context<AppEnv>,
    request: StartTaskRequest,
    begin: (name: string, options: { zone?: unknown }) => Promise<TaskView>,
    message: string,
    gainOf: (name: string) => RenewalGain = () => NO_GAIN
  ) => {
    const { name, zone } = request
    return idempotent(c, request, async () => {
      const gain = gainOf(name)
      const task = await begin(name, zone === undefined ? {} : { zone })
      const body: TaskStartedBody = {
        task_id: task.task_id,
        ...startedText(`${message} ${task.name}: ${task.iterations} squarings`, gain)
      }
      return { status: 202, location: `/api/vdf/status/${encodeURIComponent(task.task_id)}`, body }
    })
  }

  return new Hono<AppEnv>()
    .post(
      '/api/vdf/register',
      endpoint({
        tag: TAG,
        summary: 'Register a name',
        description: 'Starts a task that commits, waits, computes the VDF and reveals.',
        access: ['vdf'],
        body: StartTaskRequestSchema,
        memberAccess: ZONE_ACCESS,
        isBodyAsReceived: true,
        parameters: [IDEMPOTENCY_KEY_PARAMETER],
        answers: STARTED,
        errors: [...START_ERRORS, 'SVC-REG-001', 'SVC-TSK-002', 'SVC-KEY-006']
      }),
      (c) => start(c, c.req.valid('json'), (name, options) => registry.register(name, options), 'Registering')
    )
    .post(
      '/api/vdf/renew',
      endpoint({
        tag: TAG,
        summary: 'Renew a name that this daemon owns',
        description:
          'Renewals are accepted even when the queue is full. Each counts against the limit of the network. ' +
          '`gain_seconds` says what it adds: little, soon after the last one.',
        access: ['vdf'],
        body: StartTaskRequestSchema,
        memberAccess: ZONE_ACCESS,
        isBodyAsReceived: true,
        parameters: [IDEMPOTENCY_KEY_PARAMETER],
        answers: STARTED,
        errors: [...START_ERRORS, 'SVC-OWN-001', 'SVC-OWN-002', 'SVC-REG-001', 'SVC-RES-003', 'SVC-PUB-001']
      }),
      (c) =>
        start(
          c,
          c.req.valid('json'),
          (name, options) => registry.renew(name, options),
          'Renewing',
          (name) => registry.renewalGain(name)
        )
    )
    .post(
      '/api/vdf/estimate',
      endpoint({
        tag: TAG,
        summary: 'Estimate a registration, or the renewal of an owned name',
        description:
          'Based on the rate of the running tasks, else on one measured within the last minute. The first ' +
          'request takes half a second longer.',
        access: ['vdf', 'read'],
        body: EstimateRequestSchema,
        answers: {
          200: { description: 'Work, time on this machine, and the lease it would give', schema: EstimateSchema }
        },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-VDF-001']
      }),
      async (c) => c.json(await registry.estimate(c.req.valid('json').name))
    )
    .get(
      '/api/vdf/tasks',
      endpoint({
        tag: TAG,
        summary: 'All tasks',
        access: ['read', 'vdf'],
        answers: { 200: { description: 'Tasks', schema: TaskListSchema } }
      }),
      (c) => c.json(tasks.list())
    )
    .get(
      '/api/farm',
      endpoint({
        tag: TAG,
        summary: 'The farm: its workers, and what they have of this daemon',
        access: ['read', 'vdf'],
        answers: { 200: { description: 'The farm', schema: FarmViewSchema } }
      }),
      (c) => c.json(farm())
    )
    .get(
      '/api/vdf/status/:task_id',
      endpoint({
        tag: TAG,
        summary: 'The status of a task',
        access: ['read', 'vdf'],
        parameters: [TASK_PARAMETER],
        answers: { 200: { description: 'The task', schema: TaskSchema } },
        errors: ['SVC-TSK-001']
      }),
      (c) => c.json(found(tasks.get(c.req.param('task_id'))))
    )
    .delete(
      '/api/vdf/status/:task_id',
      endpoint({
        tag: TAG,
        summary: 'Cancel a running task, or clear one that has ended',
        description:
          'Cancels a running task: it ends as failed with SVC-TSK-003. Clears an ended one, cancelled or ' +
          'not: its id is unknown from then on. The journal keeps a finished proof for 30 days in any case. ' +
          'Peers may hold the name of a registration that is cancelled after its Reveal was signed: it is ' +
          'listed as released.',
        access: ['vdf'],
        parameters: [TASK_PARAMETER, ONLY_PARAMETER],
        answers: { 200: { description: 'Cancelled or cleared', schema: SuccessSchema } },
        errors: ['SVC-REQ-001', 'SVC-TSK-001', 'SVC-TSK-004', 'SVC-STO-001']
      }),
      async (c) => {
        const only = c.req.query('only')
        found(await tasks.remove(c.req.param('task_id'), { onlyRunning: only === 'running' }))
        return c.json({ success: true } as const)
      }
    )
    .get(
      '/api/vdf/status/:task_id/events',
      endpoint({
        tag: TAG,
        summary: 'The events of a task, as they happen',
        description:
          'Server-sent events `progress`, `phase`, `completed` and `failed`, each with an id and the task ' +
          'as data. A task that waits for a slot begins with its `queue_position`; each change is an ' +
          'event. The stream ends with the task. A comment every 15 s keeps the connection open.',
        access: ['read', 'vdf'],
        parameters: [TASK_PARAMETER, LAST_EVENT_ID_PARAMETER],
        answers: {
          200: {
            description: 'The stream',
            media: 'text/event-stream',
            example: 'id: 3\nevent: phase\ndata: {"task_id": "…", "phase": "evaluate"}\n\n'
          }
        },
        errors: ['SVC-TSK-001']
      }),
      (c) => {
        const taskId = c.req.param('task_id')
        found(tasks.get(taskId))
        return eventStream(c, (signal) => taskEvents(taskId, lastEventId(c), signal), streams)
      }
    )
    .post(
      '/api/vdf/tasks/:task_id/pause',
      endpoint({
        tag: TAG,
        summary: 'Pause a task',
        access: ['vdf'],
        parameters: [TASK_PARAMETER],
        answers: { 200: { description: 'The task, paused', schema: TaskSchema } },
        errors: ['SVC-TSK-001', 'SVC-TSK-004', 'SVC-STO-001']
      }),
      (c) => c.json(found(tasks.pause(c.req.param('task_id'))))
    )
    .post(
      '/api/vdf/tasks/:task_id/resume',
      endpoint({
        tag: TAG,
        summary: 'Resume a paused task',
        access: ['vdf'],
        parameters: [TASK_PARAMETER],
        answers: { 200: { description: 'The task, running', schema: TaskSchema } },
        errors: ['SVC-TSK-001', 'SVC-TSK-004', 'SVC-STO-001']
      }),
      (c) => c.json(found(tasks.resume(c.req.param('task_id'))))
    )
    .post(
      '/api/vdf/tasks/:task_id/move',
      endpoint({
        tag: TAG,
        summary: 'Move a task to this machine or to the farm',
        description:
          'It goes on there from what it has reached, and stays there over a restart. At `local` it waits for a slot, ' +
          'at `farm` for a worker. Where no worker is heard for a minute, it goes on at this machine.',
        access: ['vdf'],
        body: MoveTaskSchema,
        parameters: [TASK_PARAMETER],
        answers: { 200: { description: 'The task, moving', schema: TaskSchema } },
        errors: ['SVC-TSK-001', 'SVC-TSK-004', 'SVC-TSK-005', 'SVC-TSK-006', 'SVC-STO-001']
      }),
      (c) => c.json(found(tasks.move(c.req.param('task_id'), c.req.valid('json').place)))
    )

  async function* taskEvents(
    taskId: string,
    after: number | undefined,
    signal: AbortSignal
  ): AsyncGenerator<ServerSentEvent, void> {
    const events = tasks.events(taskId, after, signal)
    if (events === undefined) return
    for await (const { id, type, task } of events) yield { id, event: type, data: task }
  }
}
