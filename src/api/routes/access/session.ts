import { Hono } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { ServiceError } from '../../../errors.ts'
import { clientOf } from '../../http/client-address.ts'
import { endpoint } from '../../endpoint.ts'
import type { AppEnv } from '../../env.ts'
import type { RateLimits } from '../../access/rate-limits.ts'
import {
  SessionOpenedSchema,
  SessionRequestSchema,
  SessionSchema,
  type SessionBody,
  type SessionOpenedBody
} from '../../schemas/daemon.ts'
import type { ApiServices } from '../../services.ts'
import { SESSION_LIFETIME_MS, sessionCookieName, type Sessions } from '../../access/sessions.ts'

const TAG = 'Session'
/** No Secure: the daemon speaks plain HTTP on loopback, where browsers disagree about Secure cookies. */
const COOKIE = { httpOnly: true, sameSite: 'Strict', path: '/' } as const

export function sessionRoutes({ tokens }: ApiServices, sessions: Sessions, limits: RateLimits) {
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
          'counts only with the header X-Session-Secret. The page keeps its value, `secret`.',
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
        const { token } = c.req.valid('json')
        const scopes = tokens.verify(token)
        if (scopes === undefined) {
          limits.failedLogin(clientOf(c))
          throw new ServiceError('SVC-AUT-001', 'That is no token of this daemon.')
        }
        const { id, secret } = sessions.open(token, getCookie(c, sessionCookieName(c)))
        setCookie(c, sessionCookieName(c), id, { ...COOKIE, maxAge: SESSION_LIFETIME_MS / 1000 })
        return c.json<SessionOpenedBody>({ scopes: [...scopes], secret })
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
