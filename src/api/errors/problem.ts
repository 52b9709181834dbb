import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ServiceError } from '../../errors.ts'
import { ERROR_TABLE, type ErrorCode } from '../../error-table.ts'
import type { AppEnv } from '../env.ts'
import { asServiceError } from '../../service-errors.ts'
import type { ProblemBody } from '../schemas/problem.ts'

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
export function toServiceError(thrown: unknown): ServiceError {
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

export function respondWithProblem(c: Context<AppEnv>, error: ServiceError): Response {
  const body = problemBody(error, c.get('requestId'))
  const retryAfter = error.retryAfter ?? RETRY_AFTER_SECONDS[error.code]
  if (retryAfter !== undefined) c.header('Retry-After', String(Math.max(1, Math.ceil(retryAfter))))
  if (error.code === 'SVC-AUT-001') c.header('WWW-Authenticate', 'Bearer realm="chronym"')
  c.header('Cache-Control', 'no-store')
  return c.body(JSON.stringify(body), body.status as ContentfulStatusCode, {
    'Content-Type': 'application/problem+json'
  })
}
