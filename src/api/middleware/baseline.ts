import type { Context } from 'hono'
import { refuseDeclaredLength } from '../http/body.ts'
import type { AppEnv } from '../env.ts'
import { requestHeader } from '../http/request-headers.ts'
import { setHeader } from '../http/response-headers.ts'

/** What an identifier of a client may be, to be taken over into ours. */
const SANE_ID = /^[\w=-]{1,64}$/

/**
 * What every answer says: its identifier (the client's own where it is sane), and that nobody sniffs, keeps or refers.
 */
export function baseline(c: Context<AppEnv>): void {
  const given = requestHeader(c, 'x-request-id')
  const id = given !== undefined && SANE_ID.test(given) ? given : crypto.randomUUID()
  c.set('requestId', id)
  setHeader(c, 'X-Request-Id', id)
  setHeader(c, 'X-Content-Type-Options', 'nosniff')
  setHeader(c, 'Referrer-Policy', 'no-referrer')
  setHeader(c, 'Cache-Control', 'no-store')
}

/** SVC-REQ-002 whoever asks, for a body whose declared length is over the limit. */
export function refuseLongBody(c: Context<AppEnv>): void {
  refuseDeclaredLength(requestHeader(c, 'content-length'))
}
