/**
 * One object says what an endpoint is: who may call it, which body it takes, what it answers. The same object makes the
 * middleware that enforces it and the operation in /openapi.json, so the two cannot part.
 */
import type { Context, MiddlewareHandler } from 'hono'
import { describeRoute, resolver, type DescribeRouteOptions } from 'hono-openapi'
import type { GenericSchema, InferInput, InferOutput } from 'valibot'
import { ServiceError } from '../errors.ts'
import { ERROR_TABLE, type ErrorCode } from '../error-table.ts'
import { readBody } from './http/body.ts'
import { type AppEnv, type Caller, isSameOrigin, requestHeader } from './http/request.ts'
import { ProblemSchema } from './schemas/common.ts'
import type { TokenScope } from './schemas/daemon.ts'

type ResponseHeaders = Record<string, { description: string; schema: { type: 'string' | 'integer' } }>

export interface Answer {
  readonly description: string
  readonly schema?: GenericSchema
  /** Media types; `application/json` when left out. */
  readonly media?: string | readonly string[]
  readonly headers?: ResponseHeaders
  readonly example?: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'header' | 'query'
  readonly description: string
  readonly example?: string
  /** A path always has its parameters. */
  readonly required?: true
  /** {@link refuseMisfits} refuses values outside it. */
  readonly schema?: { readonly minLength?: number; readonly maxLength?: number; readonly pattern?: string }
  /** With which code; SVC-REQ-001 when left out. */
  readonly refusal?: ErrorCode
}

interface EndpointSpec<Body extends GenericSchema | undefined = GenericSchema | undefined> {
  readonly summary: string
  readonly description?: string
  readonly tag: string
  /** Public, or the scopes of which one is needed; `admin` always suffices. */
  readonly access: 'public' | readonly TokenScope[]
  readonly body?: Body
  /** The handler reads the body, as `readSecret` does. */
  readonly isBodySecret?: boolean
  /** Members of the body that need one of these scopes beside `access`. */
  readonly memberAccess?: Readonly<Record<string, readonly TokenScope[]>>
  /** The media type of a body that is not JSON; the handler reads it. */
  readonly binaryBody?: string
  /** The handler gets the body with what its schema does not name. For a schema that changes no value. */
  readonly isBodyAsReceived?: boolean
  /** Peers are asked for what the path names: without a token refused to pages of other origins (SVC-AUT-002). */
  readonly isLookUp?: boolean
  readonly parameters?: readonly Parameter[]
  /** The handler refuses parameters, in another form than a problem. */
  readonly isJudgeOfParameters?: boolean
  readonly answers: Readonly<Record<number, Answer>>
  /** Beside those that follow from access and body. */
  readonly errors?: readonly ErrorCode[]
}

interface BodyInput<Body> {
  in: { json: Body extends GenericSchema ? InferInput<Body> : never }
  out: { json: Body extends GenericSchema ? InferOutput<Body> : never }
}

export function allows(caller: Caller, scopes: readonly TokenScope[]): boolean {
  return caller.scopes.includes('admin') || scopes.some((scope) => caller.scopes.includes(scope))
}

/** SVC-AUT-001 when nobody is known, SVC-AUT-002 when the scope is missing. */
function requireScope(caller: Caller, scopes: readonly TokenScope[], what = 'This route'): void {
  if (caller.via === 'none') throw new ServiceError('SVC-AUT-001', 'This route needs a bearer token.')
  if (!allows(caller, scopes)) {
    throw new ServiceError('SVC-AUT-002', `${what} needs a token with the scope ${scopes.join(' or ')}.`)
  }
}

/**
 * Refuses what a page of another origin asks for without a token [a web page has names looked up, which tells peers of
 * them]. The browser says where the page is: Sec-Fetch-Site, or Origin where it is older. Programs send neither.
 */
function refuseForeignPage(c: Context<AppEnv>): void {
  if (c.get('caller').via !== 'none' || c.get('isAllowedOrigin') === true) return
  const site = requestHeader(c, 'sec-fetch-site')
  const origin = requestHeader(c, 'origin')
  const isForeign =
    site === undefined ? origin !== undefined && !isSameOrigin(c, origin) : site !== 'same-origin' && site !== 'none'
  if (isForeign) {
    throw new ServiceError(
      'SVC-AUT-002',
      'A page of another origin may not look this up: that would reveal the name to peers. Use a ' +
        'bearer token, add the origin to api.allowed_origins, or open the address by hand.'
    )
  }
}

/** Those that {@link refuseMisfits} refuses. */
function judged({ parameters = [], isJudgeOfParameters }: EndpointSpec): readonly Parameter[] {
  return isJudgeOfParameters === true ? [] : parameters
}

/** Throws the parameter's code, with the name of the parameter, for values that the document excludes. */
function refuseMisfits(c: Context<AppEnv>, parameters: readonly Parameter[]): void {
  for (const { name, in: place, schema = {}, required, refusal = 'SVC-REQ-001' } of parameters) {
    const refuse = (message: string): never => {
      throw new ServiceError(refusal, `The ${place} parameter ${name} ${message}.`, {
        errors: [{ path: name, message }]
      })
    }
    const values = valuesOf(c, name, place)
    const [value] = values
    if (values.length > 1) refuse(`must be given once, not ${values.length} times`)
    if (value === undefined) {
      if (required === true) refuse('is missing')
      continue
    }
    const { minLength = 0, maxLength = Infinity, pattern } = schema
    // JSON Schema counts characters.
    const { length } = Array.from(value)
    if (length < minLength) refuse(value === '' ? 'is empty' : `must have at least ${minLength} characters`)
    if (length > maxLength) refuse(`must have at most ${maxLength} characters`)
    if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) refuse(`must match ${pattern}`)
  }
}

function valuesOf(c: Context<AppEnv>, name: string, place: Parameter['in']): readonly string[] {
  switch (place) {
    case 'query':
      return c.req.queries(name) ?? []
    case 'path':
      return [c.req.param(name) ?? ''].filter((value) => value !== '')
    case 'header':
      return [c.req.header(name)].filter((value) => value !== undefined)
  }
}

export function endpoint<Body extends GenericSchema | undefined = undefined>(
  spec: EndpointSpec<Body>
): MiddlewareHandler<AppEnv, string, BodyInput<Body>> {
  const { access, body } = spec
  const parameters = judged(spec)
  const memberAccess = Object.entries(spec.memberAccess ?? {})
  const middleware = (c: Context<AppEnv, string, BodyInput<Body>>, next: () => Promise<void>) => {
    if (spec.isLookUp === true) refuseForeignPage(c)
    if (access !== 'public') requireScope(c.get('caller'), access)
    refuseMisfits(c, parameters)
    if (body === undefined || spec.isBodySecret === true) return next()
    return readBody(c, body, { asReceived: spec.isBodyAsReceived === true }).then((value) => {
      for (const [member, scopes] of memberAccess) {
        if ((value as Record<string, unknown>)[member] !== undefined)
          requireScope(c.get('caller'), scopes, `The member ${member} of this request`)
      }
      c.req.addValidatedData('json', value as object)
      return next()
    })
  }
  return Object.assign(middleware, describeRoute(operation(spec)))
}

/** For what is served outside the interface, such as the assets of a page. */
export const hidden = (): MiddlewareHandler<AppEnv> => describeRoute({ hide: true })

function operation(spec: EndpointSpec): DescribeRouteOptions {
  const errors = new Set<ErrorCode>(spec.errors)
  if (spec.access !== 'public') errors.add('SVC-AUT-001')
  if (spec.body !== undefined || spec.binaryBody !== undefined)
    for (const code of ['SVC-REQ-001', 'SVC-REQ-002', 'SVC-REQ-003'] as const) errors.add(code)
  for (const { in: place, schema, required, refusal } of judged(spec))
    if (place === 'query' || schema !== undefined || required === true) errors.add(refusal ?? 'SVC-REQ-001')
  // Any request may cause these: a bad token, a refused Host, too many requests, a bug.
  for (const code of ['SVC-AUT-001', 'SVC-AUT-002', 'SVC-REQ-005', 'SVC-INT-001'] as const) errors.add(code)
  return {
    summary: spec.summary,
    ...(spec.description !== undefined && { description: spec.description }),
    tags: [spec.tag],
    security: spec.access === 'public' ? [] : [{ bearer: [...spec.access] }, { session: [] }],
    ...(spec.memberAccess !== undefined && { 'x-member-scopes': spec.memberAccess }),
    ...(spec.parameters !== undefined && { parameters: spec.parameters.map(parameterObject) }),
    ...(spec.body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: resolver(spec.body) } } }
    }),
    ...(spec.binaryBody !== undefined && {
      requestBody: { required: true, content: { [spec.binaryBody]: { schema: { type: 'string', format: 'binary' } } } }
    }),
    responses: merged(
      Object.fromEntries(Object.entries(spec.answers).map(([status, answer]) => [status, answerObject(answer)])),
      problemResponses(errors)
    )
  }
}

type Responses = ReturnType<typeof problemResponses>

/** An answer and a problem may have one status, each with its own media types. */
function merged(answers: Responses, problems: Responses): Responses {
  const responses = { ...answers, ...problems }
  for (const [status, answer] of Object.entries(answers)) {
    const problem = problems[status]
    if (problem === undefined || '$ref' in problem || '$ref' in answer) continue
    responses[status] = {
      description: `${answer.description}. ${problem.description}`,
      headers: { ...problem.headers, ...answer.headers },
      content: { ...answer.content, ...problem.content }
    }
  }
  return responses
}

function parameterObject(parameter: Parameter) {
  const { name, in: place, description, example, schema, required } = parameter
  return {
    name,
    in: place,
    description,
    required: place === 'path' || required === true,
    schema: { type: 'string' as const, ...schema },
    ...(example !== undefined && { example })
  }
}

function answerObject(answer: Answer) {
  const media = answer.media === undefined ? ['application/json'] : [answer.media].flat()
  const content = {
    ...(answer.schema !== undefined && { schema: resolver(answer.schema) }),
    ...(answer.example !== undefined && { example: answer.example })
  }
  return {
    description: answer.description,
    headers: { ...answer.headers, 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
    ...((answer.schema !== undefined || answer.media !== undefined) && {
      content: Object.fromEntries(media.map((type) => [type, content]))
    })
  }
}

const PROBLEM_HEADERS: Record<number, Record<string, { $ref: string }>> = {
  401: { 'WWW-Authenticate': { $ref: '#/components/headers/Challenge' } },
  429: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
  503: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
}

function problemExample(code: ErrorCode) {
  const { status, title, cause } = ERROR_TABLE[code]
  return {
    summary: title,
    value: {
      type: `/errors/${code}`,
      title,
      status,
      detail: cause,
      code,
      request_id: '3f1c9a52-0d0e-4f0e-9a53-6f1d2b7c8e90'
    }
  }
}

/** The problem responses of an operation, one for each status, each code with its example. */
function problemResponses(codes: Iterable<ErrorCode>): NonNullable<DescribeRouteOptions['responses']> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const { status } = ERROR_TABLE[code]
    if (status !== null) byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      String(status),
      {
        description: group.map((code) => `${code}: ${ERROR_TABLE[code].title}`).join('. '),
        headers: { ...PROBLEM_HEADERS[status], 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
        content: {
          'application/problem+json': {
            schema: resolver(ProblemSchema),
            examples: Object.fromEntries(group.map((code) => [code, problemExample(code)]))
          }
        }
      }
    ])
  )
}
