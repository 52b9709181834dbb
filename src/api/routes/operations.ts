import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import { HealthSchema, ReadinessSchema, type HealthBody, type ReadinessBody } from '../schemas/daemon.ts'
import { BackupSchema, type BackupView } from '../../views/backup.ts'
import type { ApiServices, ReadinessCheck } from '../services.ts'

const TAG = 'Operations'

/** Anybody may ask for the readiness, without a limit: what it costs is bounded instead. */
const READINESS_KEPT_MS = 1000

export function operationRoutes(services: ApiServices) {
  let kept: { readonly atMs: number; readonly checks: ReadinessCheck[] } | undefined
  const readiness = () => {
    const nowMs = services.now()
    if (kept === undefined || Math.abs(nowMs - kept.atMs) >= READINESS_KEPT_MS)
      kept = { atMs: nowMs, checks: services.readiness() }
    return kept.checks
  }

  return new Hono<AppEnv>()
    .get(
      '/healthz',
      endpoint({
        tag: TAG,
        summary: 'Is the process alive?',
        access: 'public',
        answers: { 200: { description: 'It is', schema: HealthSchema } }
      }),
      (c) => c.json<HealthBody>({ status: 'ok', version: services.version })
    )
    .get(
      '/readyz',
      endpoint({
        tag: TAG,
        summary: 'Can the daemon do its work?',
        description:
          'Peers, beacon and store, each with its problem; at most a second old. While `peers` is not ok, ' +
          'look-ups answer SVC-RES-001.',
        access: 'public',
        answers: {
          200: { description: 'It can', schema: ReadinessSchema },
          503: { description: 'It cannot; `checks` says why', schema: ReadinessSchema }
        }
      }),
      (c) => {
        const checks = readiness()
        const ready = checks.every(({ ok }) => ok)
        return c.json<ReadinessBody, 200 | 503>({ ready, checks }, ready ? 200 : 503)
      }
    )
    .get(
      '/api/backup',
      endpoint({
        tag: TAG,
        summary: 'The backup that the daemon keeps up to date',
        access: ['read'],
        answers: { 200: { description: 'Where it is, and when it was written', schema: BackupSchema } }
      }),
      (c) => c.json<BackupView>(services.backup())
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
