import type { Context, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ServiceError } from '../../errors.ts'
import { ERROR_TABLE, type ErrorCode } from '../../error-table.ts'
import type { AppEnv } from '../http/request.ts'
import { asServiceError } from '../../service-errors.ts'
import type { ProblemBody } from '../schemas/common.ts'
import { routeOf } from '../middleware/access-log.ts'
import { createSampler } from '../../util/sampler.ts'
import type { ApiServices } from '../services.ts'

/**
 * Seconds to wait where the failing part gave none: about as long as it takes until peers, beacon or queue may have
 * changed.
 */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = {
  'SVC-RES-001': 5,
  'SVC-BCN-001': 10,
  'SVC-TSK-002': 60
}

/** What was thrown, in the codes of the table; SVC-INT-001 for what nobody foresaw. */
function toServiceError(thrown: unknown): ServiceError {
  const error = asServiceError(thrown)
  if (error instanceof ServiceError) return error
  if (error instanceof HTTPException && error.status < 500)
    return new ServiceError('SVC-REQ-001', error.message, { cause: error })
  return new ServiceError(
    'SVC-INT-001',
    'The request failed with an unexpected error. The log has it under this request id.',
    { cause: error }
  )
}

export function problemBody(error: ServiceError, requestId: string): ProblemBody {
  const entry = ERROR_TABLE[error.code]
  return {
    ...error.extensions,
    type: `/errors/${error.code}`,
    title: entry.title,
    // A code that occurs only inside a task has no status of its own; met here, it is ours to explain.
    status: entry.status ?? 500,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.errors.length > 0 && { errors: [...error.errors] })
  }
}

function respondWithProblem(c: Context<AppEnv>, error: ServiceError): Response {
  const body = problemBody(error, c.get('requestId'))
  const retryAfter = error.retryAfter ?? RETRY_AFTER_SECONDS[error.code]
  if (retryAfter !== undefined) c.header('Retry-After', String(Math.max(1, Math.ceil(retryAfter))))
  if (error.code === 'SVC-AUT-001') c.header('WWW-Authenticate', 'Bearer realm="chronym"')
  c.header('Cache-Control', 'no-store')
  return c.body(JSON.stringify(body), body.status as ContentfulStatusCode, {
    'Content-Type': 'application/problem+json'
  })
}

/** What the operator must look at. Other 5xx show the state of network or beacon and need no stack. */
const OWN_FAULTS: ReadonlySet<ErrorCode> = new Set(['SVC-INT-001', 'SVC-STO-001'])

/**
 * Answers with the problem. The log gets what the answer leaves out of our own faults: the error under ours, with its
 * stack. Refusals are a sample, without their detail, which may hold the name that was looked up.
 */
export function onError({
  log,
  now
}: Pick<ApiServices, 'log' | 'now'>): (thrown: unknown, c: Context<AppEnv>) => Response {
  const sample = createSampler(now)
  return (thrown, c) => {
    const error = toServiceError(thrown)
    const entry = { request_id: c.get('requestId'), method: c.req.method, route: routeOf(c), code: error.code }
    const status = ERROR_TABLE[error.code].status ?? 500
    // The client has gone; the error is most likely the result.
    if (c.req.raw.signal.aborted) log.debug(entry, 'The client went away')
    else if (OWN_FAULTS.has(error.code)) log.error({ ...entry, err: error.cause ?? error }, error.message)
    else {
      const { isWritten, leftOut } = sample()
      const told = { ...entry, ...(leftOut > 0 && { left_out: leftOut }) }
      if (isWritten && status >= 500)
        log.warn({ ...told, ...(error.cause instanceof Error && { reason: error.cause.message }) }, error.message)
      else if (isWritten) log.info(told, ERROR_TABLE[error.code].title)
    }
    return respondWithProblem(c, error)
  }
}

/** 405 with Allow where the path exists with another method, else 404. Call it after all routes. */
export function notFound(app: Hono<AppEnv>): (c: Context<AppEnv>) => never {
  const served = methodsByPath(app)
  return (c) => {
    const matching = served.filter(({ pattern }) => pattern.test(c.req.path))
    // As in the OpenAPI document: a path in full goes before one with parameters.
    const named = matching.filter(({ isInFull }) => isInFull)
    const methods = (named.length > 0 ? named : matching).flatMap(({ methods }) => [...methods])
    if (methods.length === 0) throw new ServiceError('SVC-REQ-004', 'Nothing is served at this path.')
    const allow = [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
      .sort()
      .join(', ')
    c.header('Allow', allow)
    throw new ServiceError('SVC-REQ-007', `This path answers ${allow} only.`)
  }
}

function methodsByPath(app: Hono<AppEnv>): { pattern: RegExp; isInFull: boolean; methods: Set<string> }[] {
  const byPath = new Map<string, Set<string>>()
  for (const { method, path } of app.routes) {
    if (method !== 'ALL') byPath.set(path, (byPath.get(path) ?? new Set()).add(method))
  }
  return [...byPath].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:[a-z_]+/g, '[^/]+')}$`),
    isInFull: !path.includes(':'),
    methods
  }))
}
