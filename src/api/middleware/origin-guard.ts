import type { Context, MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { ServiceError } from '../../errors.ts'
import { type AppEnv, isSameOrigin, requestHeader } from '../http/request.ts'
import type { ApiServices } from '../services.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD'])
/** Headers that a page of an allowed origin needs to read. */
const EXPOSED = [
  'ETag',
  'Location',
  'Retry-After',
  'X-Request-Id',
  'X-Zone-Source',
  'X-Zone-State',
  'Idempotency-Replayed'
]

/**
 * CORS headers and preflights. Credentials are never allowed: a foreign page uses a token, not the dashboard's cookie.
 */
export function allowOrigin(): MiddlewareHandler<AppEnv> {
  return cors({
    origin: (origin) => origin,
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Last-Event-ID',
      'X-Request-Id'
    ],
    exposeHeaders: EXPOSED,
    maxAge: 600
  })
}

/**
 * Whether a page of another origin asks that is in `api.allowed_origins`. SVC-AUT-002 where one that is not wants to
 * change something.
 */
export function originGuard({ allowedOrigins }: Pick<ApiServices, 'allowedOrigins'>): (c: Context<AppEnv>) => boolean {
  return (c) => {
    const origin = requestHeader(c, 'origin')
    if (origin === undefined || isSameOrigin(c, origin)) return false
    if (allowedOrigins().includes(origin)) return true
    if (SAFE_METHODS.has(c.req.method)) return false
    throw new ServiceError(
      'SVC-AUT-002',
      `The Origin "${origin.slice(0, 255)}" is not one this daemon answers for; add it to api.allowed_origins.`
    )
  }
}
