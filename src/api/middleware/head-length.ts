import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/request.ts'

/** The answer to HEAD says how long the body of GET is (RFC 9110, 9.3.2). Hono drops the body afterwards. */
export const headLength: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  if (c.req.method !== 'HEAD' || c.res.body === null) return
  const { byteLength } = await c.res.clone().arrayBuffer()
  c.header('Content-Length', String(byteLength))
}
