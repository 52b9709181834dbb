import { isIPv6 } from 'node:net'
import type { Context, MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { ServiceError } from '../../errors.ts'
import { refuseLongBody } from '../http/body.ts'
import {
  canonicalHost,
  hostOf,
  isLoopbackName,
  isSameOrigin,
  requestHeader,
  type AppEnv,
  type Host
} from '../http/request.ts'
import type { ApiServices } from '../services.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD'])

/** CORS headers and preflights. Credentials are never allowed: a foreign page uses a token, not the dashboard's cookie. */
const allowOrigin = cors({
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
  exposeHeaders: [
    'ETag',
    'Location',
    'Retry-After',
    'WWW-Authenticate',
    'X-Confidence',
    'X-Request-Id',
    'X-Zone-Source',
    'X-Zone-State',
    'Idempotency-Replayed'
  ],
  maxAge: 600
})

/**
 * Refuses a body that is declared too long, and a Host or an Origin that this daemon does not answer for. A page of an
 * allowed origin gets CORS headers, on refusals too. `own`: the address listened on.
 */
export function guard(services: Pick<ApiServices, 'allowedHosts' | 'allowedOrigins'>, own?: string) {
  const checkHost = hostGuard(services, own)
  const middleware: MiddlewareHandler<AppEnv> = (c, next) => {
    refuseLongBody(c)
    checkHost(c)
    if (!isAllowedForeigner(c, services)) return next()
    c.set('isAllowedOrigin', true)
    return allowOrigin(c, next)
  }
  return middleware
}

/**
 * Refuses a Host that this daemon does not answer for [DNS rebinding: a web page's own name is made to point at
 * 127.0.0.1]. Loopback names and the address listened on (`own`) always pass.
 */
function hostGuard({ allowedHosts }: Pick<ApiServices, 'allowedHosts'>, own?: string): (c: Context<AppEnv>) => void {
  // Nearly every request names the same host. A loopback host or our own passes whatever the configuration becomes.
  let lastOwn: string | undefined
  return (c) => {
    const header = c.req.header('Host')
    if (header !== undefined && header === lastOwn) return
    const host = hostOf(c)
    if (host === undefined) throw new ServiceError('SVC-REQ-001', 'The Host header is not one host and port.')
    if (isLoopbackName(host.hostname) || (own !== undefined && sameHost(own, host))) lastOwn = header
    else if (!allowedHosts().some((allowed) => sameHost(allowed, host)))
      throw new ServiceError(
        'SVC-AUT-002',
        `The Host "${host.hostname.slice(0, 255)}" is not one this daemon answers for; add it to api.allowed_hosts.`
      )
  }
}

/** An allowed host may be given with a port, which then must match. */
function sameHost(allowed: string, host: Host): boolean {
  const name = canonicalHost(isIPv6(allowed) ? `[${allowed}]` : allowed)
  return name === host.hostname || name === host.host
}

/**
 * Whether a page of another origin asks that is in `api.allowed_origins`. SVC-AUT-002 where one that is not wants to
 * change something.
 */
function isAllowedForeigner(c: Context<AppEnv>, { allowedOrigins }: Pick<ApiServices, 'allowedOrigins'>): boolean {
  const origin = requestHeader(c, 'origin')
  if (origin === undefined || isSameOrigin(c, origin)) return false
  if (allowedOrigins().includes(origin)) return true
  if (SAFE_METHODS.has(c.req.method)) return false
  throw new ServiceError(
    'SVC-AUT-002',
    `The Origin "${origin.slice(0, 255)}" is not one this daemon answers for; add it to api.allowed_origins.`
  )
}
