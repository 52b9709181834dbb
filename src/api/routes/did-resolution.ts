/** The HTTP binding of W3C DID Resolution: for Universal Resolver, `did-resolver` and other DID tools. */
import { Hono, type Context } from 'hono'
import {
  acceptedForm,
  DEFAULT_FORM,
  DOCUMENT_TYPES,
  MEDIA_TYPES,
  readResolutionRequest,
  RESULT_TYPES,
  type ResultForm
} from '../did/request.ts'
import { ResolutionError, selectVersion, toResolutionError } from '../did/resolution.ts'
import { endpoint } from '../endpoint.ts'
import { type AppEnv, requestHeader } from '../http/request.ts'
import { type DidResolutionResult, DidResolutionResultSchema } from '../schemas/identity.ts'
import type { ApiServices } from '../services.ts'

const CONTEXT = 'https://w3id.org/did-resolution/v1'

const failed = (description: string) => ({ description, schema: DidResolutionResultSchema, media: RESULT_TYPES })

export function didResolutionRoutes({ registry }: Pick<ApiServices, 'registry'>) {
  return new Hono<AppEnv>().get(
    '/1.0/identifiers/:did',
    endpoint({
      tag: 'Resolving',
      summary: 'Resolve a DID (W3C DID Resolution)',
      description:
        'The whole result or, by `Accept`, the DID document alone. No fragment, path or service is ' +
        'dereferenced. Offline: 500 with INTERNAL_ERROR and `Retry-After`. docs/did-method.md has the method.',
      access: 'public',
      isLookUp: true,
      parameters: [
        {
          name: 'did',
          in: 'path',
          description: 'A DID, or a DID URL with the parameters below, percent-encoded',
          example: 'did:chronym:zQmWvQxTqbG2Z9HPJgG57jjwR154cKhbtJenbyYTWkjgF3e',
          schema: { minLength: 1 }
        },
        {
          name: 'versionId',
          in: 'query',
          description: 'The number of a version',
          example: '2',
          schema: { pattern: '^[1-9][0-9]{0,8}$' }
        },
        { name: 'versionTime', in: 'query', description: 'An instant in UTC', example: '2026-11-21T12:00:00Z' }
      ],
      isJudgeOfParameters: true,
      answers: {
        200: {
          description: 'The result, or the document',
          schema: DidResolutionResultSchema,
          media: [...RESULT_TYPES, ...DOCUMENT_TYPES]
        },
        400: failed('INVALID_DID, INVALID_DID_URL, INVALID_OPTIONS'),
        404: failed('NOT_FOUND: no identity, or not that version'),
        406: failed('REPRESENTATION_NOT_SUPPORTED: no media type of `Accept` is served'),
        410: failed('The DID is deactivated. The document is null unless an earlier version is asked for'),
        500: failed('INTERNAL_ERROR: the network is offline, or the identity is contested'),
        501: failed('METHOD_NOT_SUPPORTED, FEATURE_NOT_SUPPORTED')
      }
    }),
    async (c) => {
      c.header('Vary', 'Accept', { append: true })
      const form = acceptedForm(requestHeader(c, 'accept'))
      try {
        if (form === undefined)
          throw new ResolutionError('REPRESENTATION_NOT_SUPPORTED', `This daemon serves ${MEDIA_TYPES.join(', ')}.`)
        const { did, ...version } = readResolutionRequest(
          c.req.param('did'),
          new URL(c.req.url).searchParams,
          registry.didMethod
        )
        return answer(c, form, selectVersion(await registry.resolveIdentityLog(did, c.req.raw.signal), version))
      } catch (thrown) {
        const error = toResolutionError(thrown)
        if (error === undefined) throw thrown
        return refuse(c, form ?? DEFAULT_FORM, error)
      }
    }
  )
}

function answer(
  c: Context<AppEnv>,
  form: ResultForm,
  { didDocument, didDocumentMetadata }: ReturnType<typeof selectVersion>
): Response {
  const status = didDocumentMetadata.deactivated === true ? 410 : 200
  if (form.kind === 'document' && status === 200)
    return c.body(JSON.stringify(didDocument), 200, { 'Content-Type': form.type })
  const isOlder = form.kind === 'result' && form.errors === 'words'
  const contentType = isOlder ? 'application/did+ld+json' : 'application/did'
  return send(c, form, status, {
    '@context': CONTEXT,
    didDocument,
    didResolutionMetadata: didDocument === null ? {} : { contentType },
    didDocumentMetadata: { ...didDocumentMetadata }
  })
}

function refuse(c: Context<AppEnv>, form: ResultForm, error: ResolutionError): Response {
  if (error.error === 'INTERNAL_ERROR') c.header('Retry-After', String(error.retryAfter ?? 5))
  return send(c, form, error.status, {
    '@context': CONTEXT,
    didDocument: null,
    didResolutionMetadata:
      form.kind === 'result' && form.errors === 'words'
        ? { error: error.word, message: error.message, problemDetails: error.problem }
        : { error: error.problem },
    didDocumentMetadata: {}
  })
}

/** Where there is no document to show alone, the result says why. */
function send(
  c: Context<AppEnv>,
  form: ResultForm,
  status: 200 | 410 | ResolutionError['status'],
  result: DidResolutionResult
): Response {
  const type = form.kind === 'result' ? form.type : DEFAULT_FORM.type
  return c.body(JSON.stringify(result), status, { 'Content-Type': type })
}
