import * as v from 'valibot'
import { mapSchema } from './common.ts'

const JsonObjectSchema = mapSchema(v.unknown())

export const ResolvedIdentitySchema = v.pipe(
  v.object({
    kid_document: v.pipe(
      v.looseObject({ id: v.string(), verificationMethod: v.array(v.unknown()) }),
      v.description('A W3C DID document')
    ),
    manifest_document: v.pipe(
      v.nullable(v.looseObject({ capabilities: v.array(v.unknown()) })),
      v.description('Null when no manifest is known')
    )
  }),
  v.metadata({ ref: 'ResolvedIdentity' })
)
export type ResolvedIdentityBody = v.InferOutput<typeof ResolvedIdentitySchema>

export const IdentityLogSchema = v.pipe(
  v.object({
    did: v.string(),
    versions: v.pipe(
      v.array(v.looseObject({ id: v.string(), version: v.number() })),
      v.minLength(1),
      v.description('Every valid version, version 1 first')
    )
  }),
  v.metadata({ ref: 'IdentityLog' })
)
export type IdentityLogBody = v.InferOutput<typeof IdentityLogSchema>

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
