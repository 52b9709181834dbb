import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import { readSecret } from '../http/secret-body.ts'
import { SeedSchema, UnlockRequestSchema, type SeedBody } from '../schemas/seed.ts'
import type { ApiServices } from '../services.ts'

const TAG = 'Operations'

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
      (c) => c.json<SeedBody>(seed.view())
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
        const passphrase = await readSecret(c, UnlockRequestSchema, 'passphrase')
        try {
          return c.json<SeedBody>(await seed.unlock(passphrase))
        } finally {
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
      (c) => c.json<SeedBody>(seed.lock())
    )
}
