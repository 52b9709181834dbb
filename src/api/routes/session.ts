import { Hono } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { ServiceError } from '../../errors.ts'
import { type AppEnv, clientOf } from '../http/request.ts'
import { endpoint } from '../endpoint.ts'
import { type LoginLinks, SESSION_LIFETIME_MS, sessionCookieName, type Sessions } from '../access/sessions.ts'
import type { RateLimits } from '../access/rate-limits.ts'
import {
  type LoginLinkBody,
  LoginLinkSchema,
  type SessionBody,
  type SessionOpenedBody,
  SessionOpenedSchema,
  SessionRequestSchema,
  SessionSchema
} from '../schemas/daemon.ts'
import type { ApiServices } from '../services.ts'

const TAG = 'Session'
/** No Secure: the daemon speaks plain HTTP on loopback, where browsers disagree about Secure cookies. */
const COOKIE = { httpOnly: true, sameSite: 'Strict', path: '/' } as const

const SPENT_LINK =
  'This login link was used before, or is older than a minute. `chronym dashboard` makes a new one. If you did ' +
  'not use it, somebody else may have: `chronym token rotate` ends every session.'

export function sessionRoutes({ tokens }: ApiServices, sessions: Sessions, links: LoginLinks, limits: RateLimits) {
  return new Hono<AppEnv>()
    .get(
      '/session',
      endpoint({
        tag: TAG,
        summary: 'What the caller may do',
        access: 'public',
        answers: { 200: { description: 'The scopes; none when not logged in', schema: SessionSchema } }
      }),
      (c) => c.json<SessionBody>({ scopes: [...c.get('caller').scopes] })
    )
    .post(
      '/session',
      endpoint({
        tag: TAG,
        summary: 'Log the dashboard in',
        description:
          'Sets a cookie for the dashboard. Every web server of this machine gets that cookie, so it ' +
          'counts only with the header X-Session-Secret. The page keeps its value, `secret`. ' +
          'Takes a token, or a link of POST /api/login-links, which works once.',
        access: 'public',
        body: SessionRequestSchema,
        answers: {
          200: {
            description: 'Logged in',
            schema: SessionOpenedSchema,
            headers: { 'Set-Cookie': { description: 'HttpOnly, SameSite=Strict, 12 h', schema: { type: 'string' } } }
          }
        }
      }),
      (c) => {
        const request = c.req.valid('json')
        const token = 'token' in request ? request.token : links.use(request.link)
        const scopes = token === undefined ? undefined : tokens.verify(token)
        if (token === undefined || scopes === undefined) {
          limits.failedLogin(clientOf(c))
          throw new ServiceError('SVC-AUT-001', 'token' in request ? 'That is not a token of this daemon.' : SPENT_LINK)
        }
        const { id, secret } = sessions.open(token, getCookie(c, sessionCookieName(c)))
        setCookie(c, sessionCookieName(c), id, { ...COOKIE, maxAge: SESSION_LIFETIME_MS / 1000 })
        return c.json<SessionOpenedBody>({ scopes: [...scopes], secret })
      }
    )
    .post(
      '/api/login-links',
      endpoint({
        tag: TAG,
        summary: 'Make a link that logs the dashboard in',
        description:
          'For POST /session: works once, within a minute, and opens what the token of this request opens. ' +
          'At most ten wait; the next one replaces the oldest. Put it into the fragment of an address, never into a query.',
        access: ['admin'],
        answers: { 201: { description: 'The link, shown this once', schema: LoginLinkSchema } }
      }),
      (c) => {
        const { link, endsAt } = links.create(c.get('caller').token!)
        return c.json<LoginLinkBody, 201>({ link, expires_at: new Date(endsAt).toISOString() }, 201)
      }
    )
    .delete(
      '/session',
      endpoint({
        tag: TAG,
        summary: 'Log the dashboard out',
        access: 'public',
        answers: { 204: { description: 'Logged out' } }
      }),
      (c) => {
        const id = getCookie(c, sessionCookieName(c))
        // The cookie alone ends no session.
        if (id !== undefined && c.get('caller').via === 'session') sessions.close(id)
        deleteCookie(c, sessionCookieName(c), COOKIE)
        return c.body(null, 204)
      }
    )
}
