import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import { HealthSchema, ReadinessSchema, type HealthBody, type ReadinessBody } from '../schemas/daemon.ts'
import type { ApiServices } from '../services.ts'

const TAG = 'Operations'

export function operationRoutes(services: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/healthz',
      endpoint({ tag: TAG, summary: 'Is the process alive?', access: 'public', answers: { 200: { description: 'It is', schema: HealthSchema } } }),
      (c) => c.json<HealthBody>({ status: 'ok', version: services.version })
    )
    .get(
      '/readyz',
      endpoint({
        tag: TAG,
        summary: 'Can the daemon do its work?',
        description: 'Peers, beacon and store, each with what is wrong.',
        access: 'public',
        answers: {
          200: { description: 'It can', schema: ReadinessSchema },
          503: { description: 'It cannot; `checks` says why', schema: ReadinessSchema }
        }
      }),
      (c) => {
        const checks = services.readiness()
        const ready = checks.every(({ ok }) => ok)
        return c.json<ReadinessBody, 200 | 503>({ ready, checks }, ready ? 200 : 503)
      }
    )
    .get(
      '/metrics',
      endpoint({
        tag: TAG,
        summary: 'Metrics for Prometheus',
        access: ['read'],
        answers: { 200: { description: 'Prometheus text format', media: 'text/plain' } }
      }),
      async (c) => c.body(await services.metrics.metrics(), 200, { 'Content-Type': services.metrics.contentType })
    )
}
