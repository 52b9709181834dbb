import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/request.ts'

/**
 * The answer to HEAD says how long the body of GET is (RFC 9110, 9.3.2). Hono drops the body afterwards. A stream of
 * events has no length.
 */
export const headLength: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  const isStream = c.res.headers.get('Content-Type')?.startsWith('text/event-stream') === true
  if (c.req.method !== 'HEAD' || c.res.body === null || isStream) return
  const { byteLength } = await c.res.clone().arrayBuffer()
  c.header('Content-Length', String(byteLength))
}
