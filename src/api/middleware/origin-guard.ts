import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { ServiceError } from '../../errors.ts'
import type { AppEnv } from '../env.ts'
import { isSameOrigin } from '../host.ts'
import type { ApiServices } from '../services.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD'])
/** Headers that a page of an allowed origin needs to read. */
const EXPOSED = ['ETag', 'Location', 'Retry-After', 'X-Request-Id', 'X-Zone-Source', 'X-Zone-State', 'Idempotency-Replayed']

/**
 * Pages of other origins: those of `api.allowed_origins` get CORS headers and preflights; others get none, and may change nothing.
 * Credentials are never allowed: a foreign page uses a token, not the dashboard's cookie.
 */
export function originGuard({ allowedOrigins }: Pick<ApiServices, 'allowedOrigins'>): MiddlewareHandler<AppEnv> {
  const allow = cors({
    origin: (origin) => origin,
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'Last-Event-ID', 'X-Request-Id'],
    exposeHeaders: EXPOSED,
    maxAge: 600
  })
  return (c, next) => {
    const origin = c.req.header('Origin')
    if (origin === undefined || isSameOrigin(c, origin)) return next()
    if (allowedOrigins().includes(origin)) return allow(c, next)
    if (SAFE_METHODS.has(c.req.method)) return next()
    throw new ServiceError('SVC-AUT-002', `The Origin "${origin.slice(0, 255)}" is not one this daemon answers for; add it to api.allowed_origins.`)
  }
}
