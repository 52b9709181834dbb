import * as v from 'valibot'

const ProblemDetailsSchema = v.object({
  type: v.pipe(v.string(), v.description('A URI of the DID namespace that ends in `#NOT_FOUND` or another error')),
  title: v.string(),
  detail: v.string(),
  code: v.optional(v.pipe(v.string(), v.description("The daemon's own code")))
})

export const DidResolutionResultSchema = v.pipe(
  v.object({
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
  }),
  v.metadata({ ref: 'DidResolutionResult' })
)
export type DidResolutionResult = v.InferOutput<typeof DidResolutionResultSchema>
