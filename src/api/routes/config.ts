import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import { ConfigPatchSchema, ConfigSchema, type ConfigBody } from '../schemas/daemon.ts'
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
    .post(
      '/api/config',
      endpoint({
        tag: 'Daemon',
        summary: 'Change the configuration',
        description: 'All fields given are checked before any is applied.',
        access: ['admin'],
        body: ConfigPatchSchema,
        answers: { 200: { description: 'The whole new configuration', schema: ConfigSchema } },
        errors: ['SVC-CFG-001', 'SVC-CFG-002', 'SVC-STO-001']
      }),
      async (c) => c.json((await config.change(c.get('rawBody'))) as ConfigBody)
    )
}
