import * as v from 'valibot'
import { component, NameSchema } from '../../views/common.ts'
import { mapSchema } from './common.ts'

const JsonObjectSchema = mapSchema(v.unknown())

export const ResolvedIdentitySchema = component('ResolvedIdentity', {
  kid_document: v.pipe(
    v.looseObject({ id: v.string(), verificationMethod: v.array(v.unknown()) }),
    v.description('A W3C DID document')
  ),
  manifest_document: v.pipe(
    v.looseObject({ capabilities: v.array(v.unknown()) }),
    v.description('`{"capabilities": []}`, without `id` and `version`, where no manifest is known')
  ),
  manifest_answered: v.pipe(
    v.boolean(),
    v.description(
      'Whether most of the peers that should hold the manifest answered; if not, it is open whether there is one'
    )
  )
})
export type ResolvedIdentityBody = v.InferOutput<typeof ResolvedIdentitySchema>

export const IdentityLogSchema = component('IdentityLog', {
  did: v.string(),
  versions: v.pipe(
    v.array(v.looseObject({ id: v.string(), version: v.number() })),
    v.minLength(1),
    v.description('Every valid version, version 1 first')
  )
})
export type IdentityLogBody = v.InferOutput<typeof IdentityLogSchema>

const TextSchema = v.pipe(v.string(), v.minLength(1, 'Required'), v.maxLength(2048, 'Expected at most 2048 characters'))

const EndpointSchema = v.union([
  TextSchema,
  v.pipe(v.looseObject({}), v.description('Members that the type of the service defines'))
])

/** How many of them a document may hold is the registry's to say (SVC-KID-001). */
export const CreateKidRequestSchema = component('CreateKidRequest', {
  name: v.optional(v.pipe(NameSchema, v.description('A name of ours that carries it; without one, work does'))),
  services: v.optional(
    v.array(
      v.object({
        id: v.pipe(TextSchema, v.regex(/^#/, 'Expected a fragment such as #files')),
        type: TextSchema,
        serviceEndpoint: v.union([EndpointSchema, v.pipe(v.array(EndpointSchema), v.minLength(1), v.maxLength(16))])
      })
    )
  ),
  also_known_as: v.optional(v.array(TextSchema)),
  index: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0, 'Expected 0 to 63'),
      v.maxValue(63, 'Expected 0 to 63'),
      v.description('Of its keys; else the first that no identity here had')
    )
  )
})
export type CreateKidRequest = v.InferInput<typeof CreateKidRequestSchema>

/** Whether documents and proofs are valid is the registry's to say (SVC-KID-001). */
export const PublishKidRequestSchema = v.pipe(
  v.union(
    [
      v.looseObject({ authorized_kid: JsonObjectSchema }),
      v.looseObject({ document: JsonObjectSchema }),
      v.looseObject({ id: v.string(), verificationMethod: v.array(v.unknown()) })
    ],
    'Expected {authorized_kid: {document, name?, name_signature?}}, or the document itself'
  ),
  v.metadata({ ref: 'PublishKidRequest' })
)

export const PublishManifestRequestSchema = v.pipe(
  v.union(
    [
      v.looseObject({ authorized_manifest: JsonObjectSchema }),
      v.looseObject({ manifest: JsonObjectSchema }),
      v.looseObject({ id: v.string(), capabilities: v.array(v.unknown()) })
    ],
    'Expected {authorized_manifest: {manifest}}, or the manifest itself'
  ),
  v.metadata({ ref: 'PublishManifestRequest' })
)

const ProblemDetailsSchema = v.object({
  type: v.pipe(v.string(), v.description('A URI of the DID namespace that ends in `#NOT_FOUND` or another error')),
  title: v.string(),
  detail: v.string(),
  code: v.optional(v.pipe(v.string(), v.description("The daemon's own code")))
})

export const DidResolutionResultSchema = component('DidResolutionResult', {
  '@context': v.string(),
  didDocument: v.nullable(v.record(v.string(), v.unknown())),
  didResolutionMetadata: v.object({
    contentType: v.optional(v.string()),
    error: v.optional(
      v.pipe(
        v.union([ProblemDetailsSchema, v.string()]),
        v.description('An object in `application/did-resolution`, a word such as `notFound` in the older types')
      )
    ),
    message: v.optional(v.string()),
    problemDetails: v.optional(ProblemDetailsSchema)
  }),
  didDocumentMetadata: v.object({
    created: v.optional(v.string()),
    updated: v.optional(v.string()),
    nextUpdate: v.optional(v.string()),
    versionId: v.optional(v.string()),
    nextVersionId: v.optional(v.string()),
    deactivated: v.optional(v.literal(true))
  })
})
export type DidResolutionResult = v.InferOutput<typeof DidResolutionResultSchema>
