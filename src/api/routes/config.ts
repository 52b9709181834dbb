import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import {
  ConfigFieldListSchema,
  ConfigPatchSchema,
  ConfigSchema,
  type ConfigBody,
  type ConfigFieldView
} from '../schemas/daemon.ts'
import type { ApiServices } from '../services.ts'

export function configRoutes({ config }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/config',
      endpoint({
        tag: 'Daemon',
        summary: 'The configuration, without secrets',
        access: ['read'],
        answers: { 200: { description: 'The whole configuration', schema: ConfigSchema } }
      }),
      (c) => c.json(config.view() as ConfigBody)
    )
    .get(
      '/api/config/fields',
      endpoint({
        tag: 'Daemon',
        summary: 'Each field of the configuration, and where its value comes from',
        access: ['read'],
        answers: { 200: { description: 'Every field', schema: ConfigFieldListSchema } }
      }),
      (c) => c.json<ConfigFieldView[]>(config.fields())
    )
    .delete(
      '/api/config/:field',
      endpoint({
        tag: 'Daemon',
        summary: 'Take back what was set at run time',
        description:
          'The value of flag, environment or file applies again, else the default. A field that was not ' +
          'set at run time keeps its value.',
        access: ['admin'],
        parameters: [{ name: 'field', in: 'path', description: 'With its section', example: 'vdf.queue' }],
        answers: { 200: { description: 'The whole new configuration', schema: ConfigSchema } },
        errors: ['SVC-CFG-001', 'SVC-STO-001']
      }),
      async (c) => c.json((await config.unset(c.req.param('field'))) as ConfigBody)
    )
    .post(
      '/api/config',
      endpoint({
        tag: 'Daemon',
        summary: 'Change the configuration',
        description: 'All fields given are checked before any is applied.',
        access: ['admin'],
        body: ConfigPatchSchema,
        isBodyAsReceived: true,
        answers: { 200: { description: 'The whole new configuration', schema: ConfigSchema } },
        errors: ['SVC-CFG-001', 'SVC-CFG-002', 'SVC-STO-001']
      }),
      async (c) => c.json((await config.change(c.req.valid('json'))) as ConfigBody)
    )
}
