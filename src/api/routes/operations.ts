import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import { ServiceError } from '../../errors.ts'
import { secretBuffer } from '../../util/secret-input.ts'
import type { AppEnv } from '../http/request.ts'
import { type HealthBody, HealthSchema, SeedSchema, UnlockRequestSchema } from '../schemas/daemon.ts'
import { BackupSchema } from '../../views/backup.ts'
import type { ApiServices } from '../services.ts'
import { ReadinessSchema, type ReadinessBody, type ReadinessCheck } from '../../views/readiness.ts'
import { readSecret } from '../http/secret-body.ts'

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
      (c) => c.json(services.backup())
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

export function seedRoutes({ seed }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/seed',
      endpoint({
        tag: TAG,
        summary: 'Whether the seed is locked, and what waits for it',
        description: 'Nothing of the seed itself.',
        access: ['read'],
        answers: { 200: { description: 'The state of the seed', schema: SeedSchema } }
      }),
      (c) => c.json(seed.view())
    )
    .post(
      '/api/seed/unlock',
      endpoint({
        tag: TAG,
        summary: 'Unlock the seed with its passphrase',
        description:
          'Takes about a second, one request at a time. After three wrong passphrases in a row the next ' +
          'one has to wait. An unlocked seed stays unlocked, even after a wrong passphrase. The passphrase ' +
          'is not logged.',
        access: ['admin'],
        body: UnlockRequestSchema,
        isBodySecret: true,
        answers: { 200: { description: 'It is unlocked', schema: SeedSchema } },
        errors: ['SVC-KEY-002', 'SVC-KEY-003', 'SVC-KEY-007', 'SVC-REQ-005', 'SVC-STO-001']
      }),
      async (c) => {
        const { member, secret } = await readSecret(c, UnlockRequestSchema, ['passphrase', 'passphrase_hex'])
        const passphrase = member === 'passphrase' ? secret : octetsOfHex(secret)
        try {
          return c.json(await seed.unlock(passphrase))
        } finally {
          secret.fill(0)
          passphrase.fill(0)
        }
      }
    )
    .post(
      '/api/seed/lock',
      endpoint({
        tag: TAG,
        summary: 'Forget the seed until it is unlocked again',
        access: ['admin'],
        answers: { 200: { description: 'It is locked', schema: SeedSchema } },
        errors: ['SVC-KEY-009']
      }),
      (c) => c.json(seed.lock())
    )
}

/** Without a string in between, which V8 would keep. Throws SVC-REQ-001. */
function octetsOfHex(digits: Buffer): Buffer {
  const octets = secretBuffer(digits.length >> 1)
  for (let at = 0; at < octets.length; at++) octets[at] = 16 * digitOf(digits[2 * at]) + digitOf(digits[2 * at + 1])
  if (digits.length % 2 === 0) return octets
  octets.fill(0)
  throw notHex()
}

function digitOf(letter: number | undefined): number {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(letter ?? 0).toLowerCase())
  if (value === -1) throw notHex()
  return value
}

function notHex(): ServiceError {
  return new ServiceError('SVC-REQ-001', 'passphrase_hex is hexadecimal, two digits an octet.')
}
