import type { ErrorHandler } from 'hono'
import { routePath } from 'hono/route'
import { ERROR_TABLE, type ErrorCode } from '../errors.ts'
import type { AppEnv } from './env.ts'
import { respondWithProblem, toServiceError } from './problem.ts'
import type { ApiServices } from './services.ts'

/** What the operator has to look at. The other 5xx say how the network or the beacon is, which needs no stack. */
const OWN_FAULTS: ReadonlySet<ErrorCode> = new Set(['SVC-INT-001', 'SVC-STO-001'])

/** Answers with the problem. The log gets what the answer leaves out: the error under ours, with its stack. */
export function onError(log: ApiServices['log']): ErrorHandler<AppEnv> {
  return (thrown, c) => {
    const error = toServiceError(thrown)
    const entry = { request_id: c.get('requestId'), method: c.req.method, route: routePath(c, -1), code: error.code }
    const status = ERROR_TABLE[error.code].status ?? 500
    // Whoever asked has gone; what was thrown is most likely the news of that.
    if (c.req.raw.signal.aborted) log.debug(entry, 'The client went away')
    else if (OWN_FAULTS.has(error.code)) log.error({ ...entry, err: error.cause ?? error }, error.message)
    else if (status >= 500) log.warn({ ...entry, ...(error.cause instanceof Error && { reason: error.cause.message }) }, error.message)
    else log.info(entry, error.message)
    return respondWithProblem(c, error)
  }
}
