import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import { NAME_PARAMETER } from '../openapi/parameters.ts'
import { CommittedSchema, StoredSchema, type CommittedBody, type StoredBody } from '../schemas/common.ts'
import { OwnedNameListSchema, OwnedNameSchema, OwnedNamesSchema, type OwnedNameView } from '../../views/owned-name.ts'
import { CommitRequestSchema, PublishRequestSchema } from '../schemas/reveal.ts'
import type { ApiServices } from '../services.ts'

export function nameRoutes({ registry }: ApiServices) {
  return new Hono<AppEnv>()
    .post(
      '/api/commit',
      endpoint({
        tag: 'Names',
        summary: 'Publish a commitment (manual flow)',
        description:
          'The daemon adds the stamp and uses the name only to find where the commitment belongs. A ' +
          'registration task does this automatically.',
        access: ['publish'],
        body: CommitRequestSchema,
        answers: { 200: { description: 'Peers hold it', schema: CommittedSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-RES-001', 'SVC-PUB-002', 'SVC-BCN-001', 'SVC-STO-001']
      }),
      async (c) => {
        const { name, commitment } = c.req.valid('json')
        const { stored_by, of, pulse_round } = await registry.commit(name, commitment.hash)
        return c.json<CommittedBody>({ success: true, stored_by, of, pulse_round })
      }
    )
    .post(
      '/api/publish',
      endpoint({
        tag: 'Names',
        summary: 'Publish a Reveal (manual flow)',
        description:
          'Finalizes a registration or updates the data of a name. A registration task does this automatically.',
        access: ['publish'],
        body: PublishRequestSchema,
        answers: { 200: { description: 'Peers hold it', schema: StoredSchema } },
        errors: [
          'SVC-NAM-001',
          'SVC-NAM-002',
          'SVC-REG-001',
          'SVC-RES-001',
          'SVC-PUB-001',
          'SVC-PUB-002',
          'SVC-BCN-001',
          'SVC-STO-001',
          'SVC-KEY-006'
        ]
      }),
      async (c) => {
        const { stored_by, of } = await registry.publish(c.req.valid('json').reveal)
        return c.json<StoredBody>({ success: true, stored_by, of })
      }
    )
    .get(
      '/api/owned-names',
      endpoint({
        tag: 'Names',
        summary: 'The names this daemon owns',
        access: ['read'],
        answers: { 200: { description: 'Names', schema: OwnedNamesSchema } }
      }),
      (c) => c.json<string[]>(registry.ownedNames().map(({ name }) => name))
    )
    .get(
      '/api/names',
      endpoint({
        tag: 'Names',
        summary: 'The names this daemon owns, with lease, renewal and serials',
        description: '`warnings` lists what needs the owner\'s attention: docs/tasks.md, "Renewals".',
        access: ['read'],
        answers: { 200: { description: 'Names with their leases', schema: OwnedNameListSchema } }
      }),
      (c) => c.json<OwnedNameView[]>(registry.ownedNames())
    )
    .post(
      '/api/names/:name/release',
      endpoint({
        tag: 'Names',
        summary: 'Release a name: let it lapse',
        description:
          'The daemon stops renewing it; its zone stays published until its lease ends. Until the grace ' +
          'ends, DELETE here or a renewal takes it back.',
        access: ['vdf'],
        parameters: [NAME_PARAMETER],
        answers: { 200: { description: 'The name, released', schema: OwnedNameSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-OWN-001', 'SVC-RES-003', 'SVC-REG-002', 'SVC-STO-001']
      }),
      (c) => c.json<OwnedNameView>(registry.release(c.req.param('name')))
    )
    .delete(
      '/api/names/:name/release',
      endpoint({
        tag: 'Names',
        summary: 'Take a released name back',
        access: ['vdf'],
        parameters: [NAME_PARAMETER],
        answers: { 200: { description: 'The name, renewed automatically again', schema: OwnedNameSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-OWN-001', 'SVC-RES-003', 'SVC-STO-001']
      }),
      (c) => c.json<OwnedNameView>(registry.takeBack(c.req.param('name')))
    )
}
