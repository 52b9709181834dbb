import type { Context } from 'hono'
import { refuseDeclaredLength } from '../http/body.ts'
import { type AppEnv, requestHeader } from '../http/request.ts'

/** A client's request id of this form is kept. */
const SANE_ID = /^[\w=-]{1,64}$/

/** Gives the request its identifier: the client's own where it is sane. */
export function identifyRequest(c: Context<AppEnv>): void {
  const given = requestHeader(c, 'x-request-id')
  c.set('requestId', given !== undefined && SANE_ID.test(given) ? given : crypto.randomUUID())
}

/** SVC-REQ-002 for a body whose declared length is over the limit, with or without a token. */
export function refuseLongBody(c: Context<AppEnv>): void {
  refuseDeclaredLength(requestHeader(c, 'content-length'))
}
