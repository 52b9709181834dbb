import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../http/request.ts'
import { IdentityPublishedSchema, type IdentityPublishedBody } from '../schemas/common.ts'
import { CreateKidRequestSchema, PublishKidRequestSchema, PublishManifestRequestSchema } from '../schemas/identity.ts'
import { OwnIdentityListSchema } from '../../views/own.ts'
import type { ApiServices } from '../services.ts'

const PUBLISH_ERRORS = ['SVC-KID-001', 'SVC-RES-001', 'SVC-PUB-002', 'SVC-STO-001'] as const

/** The wrapper's member when it is there, else the whole body: the bare object is accepted too. */
function unwrap(body: Readonly<Record<string, unknown>>, member: string): unknown {
  return body[member] ?? body
}

export function identityRoutes({ registry }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/identities',
      endpoint({
        tag: 'Identities',
        summary: 'The identities that this daemon keeps published',
        description: 'From its own store: no peer is asked. In order of their DIDs.',
        access: ['read'],
        answers: { 200: { description: 'Published here or adopted', schema: OwnIdentityListSchema } },
        errors: ['SVC-STO-001']
      }),
      (c) => c.json(registry.ownIdentities())
    )
    .post(
      '/api/kid',
      endpoint({
        tag: 'Identities',
        summary: 'Make an identity with keys of the seed, and publish it',
        description: 'The daemon signs version 1. Its seed must be unlocked.',
        access: ['publish'],
        body: CreateKidRequestSchema,
        answers: { 200: { description: 'Peers hold it', schema: IdentityPublishedSchema } },
        errors: [...PUBLISH_ERRORS, 'SVC-NAM-001', 'SVC-NAM-002', 'SVC-OWN-001', 'SVC-KEY-006']
      }),
      async (c) => {
        const { name, services, also_known_as: alsoKnownAs, index } = c.req.valid('json')
        const { did, version, stored_by, of } = await registry.createKid({
          ...(name !== undefined && { name }),
          ...(services !== undefined && { services }),
          ...(alsoKnownAs !== undefined && { alsoKnownAs }),
          ...(index !== undefined && { index })
        })
        return c.json<IdentityPublishedBody>({ success: true, did, version, stored_by, of })
      }
    )
    .post(
      '/api/publish-kid',
      endpoint({
        tag: 'Identities',
        summary: 'Publish a signed identity document',
        access: ['publish'],
        body: PublishKidRequestSchema,
        isBodyAsReceived: true,
        answers: { 200: { description: 'Peers hold it', schema: IdentityPublishedSchema } },
        errors: [...PUBLISH_ERRORS, 'SVC-NAM-001', 'SVC-NAM-002', 'SVC-OWN-001', 'SVC-KEY-006']
      }),
      async (c) => {
        const { did, version, stored_by, of } = await registry.publishKid(unwrap(c.req.valid('json'), 'authorized_kid'))
        return c.json<IdentityPublishedBody>({ success: true, did, version, stored_by, of })
      }
    )
    .post(
      '/api/publish-manifest',
      endpoint({
        tag: 'Identities',
        summary: 'Publish a capability manifest',
        access: ['publish'],
        body: PublishManifestRequestSchema,
        isBodyAsReceived: true,
        answers: { 200: { description: 'Peers hold it', schema: IdentityPublishedSchema } },
        errors: [...PUBLISH_ERRORS, 'SVC-PUB-001']
      }),
      async (c) => {
        const { did, version, stored_by, of } = await registry.publishManifest(
          unwrap(c.req.valid('json'), 'authorized_manifest')
        )
        return c.json<IdentityPublishedBody>({ success: true, did, version, stored_by, of })
      }
    )
}
