import type { Context, MiddlewareHandler } from 'hono'
import { getCookie } from 'hono/cookie'
import { ServiceError } from '../../errors.ts'
import { type AppEnv, type Caller, clientOf, isSameOrigin, requestHeader } from '../http/request.ts'
import { keepConnection } from '../connections.ts'
import type { RateLimits } from '../access/rate-limits.ts'
import type { ApiServices } from '../services.ts'
import { sessionCookieName, type Sessions } from '../access/sessions.ts'

const NOBODY: Caller = { via: 'none', scopes: [], token: undefined, isCurrent: () => true }

/** A noisy neighbour on this machine must not make a supervisor believe that the daemon is dead. */
const FOR_SUPERVISORS: ReadonlySet<string> = new Set(['/healthz', '/readyz'])
/**
 * Nor keep the owner from the dashboard and the command line from asking which daemon this is, before anybody is known.
 * What is wrong there counts as a failed login.
 */
const FOR_LOGIN: ReadonlySet<string> = new Set(['/', '/session', '/api/challenge'])

function isExempt(path: string): boolean {
  return FOR_SUPERVISORS.has(path) || FOR_LOGIN.has(path) || path.startsWith('/assets/')
}

/**
 * Finds out who asks, then counts the request: what nobody known spends is not the owner's. An Authorization header that
 * does not verify is refused, on public paths too (SVC-AUT-001). SVC-REQ-005: each token has a limit of its own, those
 * without one have that of their address.
 */
export function authenticate(
  { tokens }: Pick<ApiServices, 'tokens'>,
  sessions: Sessions,
  limits: RateLimits
): MiddlewareHandler<AppEnv> {
  return (c, next) => {
    const header = requestHeader(c, 'authorization')
    const caller = header === undefined ? fromCookie(c, sessions) : fromHeader(c, header)
    c.set('caller', caller)
    if (caller.via !== 'none') keepConnection(c, caller)
    if (caller.token !== undefined) limits.known(caller.token)
    else if (!isExempt(c.req.path)) limits.anonymous(clientOf(c))
    return next()
  }

  function fromHeader(c: Context<AppEnv>, header: string): Caller {
    const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1]
    const scopes = token === undefined ? undefined : tokens.verify(token)
    if (token !== undefined && scopes !== undefined)
      return { via: 'token', scopes, token, isCurrent: () => tokens.verify(token) !== undefined }
    limits.failedLogin(clientOf(c))
    throw new ServiceError('SVC-AUT-001', 'The Authorization header holds no token of this daemon.')
  }
}

/**
 * The dashboard's cookie counts only for requests of its own page. SameSite ignores ports: a page on another port of
 * this machine is the same site, and its server gets the cookie. So the page's secret (X-Session-Secret) must come with
 * it, and the browser's own headers (Sec-Fetch-Site, Origin) decide.
 */
function fromCookie(c: Context<AppEnv>, sessions: Sessions): Caller {
  if (requestHeader(c, 'cookie') === undefined) return NOBODY
  const id = getCookie(c, sessionCookieName(c))
  if (id === undefined) return NOBODY
  const secret = c.req.header('X-Session-Secret')
  const session = sessions.get(id, secret)
  if (session === undefined) return NOBODY
  const site = c.req.header('Sec-Fetch-Site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return NOBODY
  const origin = c.req.header('Origin')
  if (origin !== undefined && !isSameOrigin(c, origin)) return NOBODY
  const safe = c.req.method === 'GET' || c.req.method === 'HEAD'
  if (!safe && origin === undefined) {
    throw new ServiceError(
      'SVC-AUT-002',
      'A change with the session cookie needs an Origin header. Outside the dashboard use a bearer token.'
    )
  }
  return { via: 'session', ...session, isCurrent: () => sessions.get(id, secret) !== undefined }
}
