import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import { SuccessSchema } from '../schemas/common.ts'
import { WantRequestSchema } from '../schemas/wanted.ts'
import { WantedListSchema, WantedSchema, type WantedView } from '../../views/wanted.ts'
import type { ApiServices } from '../services.ts'

const TAG = 'Names'

export function wantedRoutes({ registry }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/wanted',
      endpoint({
        tag: TAG,
        summary: 'The names and identities of this seed that the daemon looks for',
        description: 'After a restore from the 24 words: docs/backup.md.',
        access: ['read'],
        answers: { 200: { description: 'What the daemon looks for', schema: WantedListSchema } }
      }),
      (c) => c.json<WantedView[]>(registry.wanted())
    )
    .post(
      '/api/wanted',
      endpoint({
        tag: TAG,
        summary: 'Find and adopt a name or identity of this seed',
        description:
          'Looks up immediately, and again until it is found. For a name it uses the blinded look-up of a ' +
          'registration, which does not reveal the name.',
        access: ['publish'],
        body: WantRequestSchema,
        answers: { 200: { description: 'The outcome of the look-up', schema: WantedSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-WNT-001', 'SVC-STO-001', 'SVC-KEY-006']
      }),
      async (c) => c.json<WantedView>(await registry.want(c.req.valid('json').id))
    )
    .delete(
      '/api/wanted/:id',
      endpoint({
        tag: TAG,
        summary: 'Look for a name or identity no more',
        description: 'What the database lost is given up too: GET /api/backup does not list it any more.',
        access: ['publish'],
        parameters: [{ name: 'id', in: 'path', description: 'A name or a DID', example: 'alice.chronym' }],
        answers: { 200: { description: 'The daemon stopped looking for it', schema: SuccessSchema } },
        errors: ['SVC-WNT-002', 'SVC-STO-001']
      }),
      (c) => {
        registry.unwant(c.req.param('id'))
        return c.json({ success: true } as const)
      }
    )
}
