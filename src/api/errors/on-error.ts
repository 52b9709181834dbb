import type { Context } from 'hono'
import { ERROR_TABLE, type ErrorCode } from '../../error-table.ts'
import type { AppEnv } from '../env.ts'
import { routeOf } from '../middleware/access-log.ts'
import { respondWithProblem, toServiceError } from './problem.ts'
import { createSampler } from '../../util/sampler.ts'
import type { ApiServices } from '../services.ts'

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
