import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import type { AppEnv } from './env.ts'
import { hostOf } from './host.ts'
import type { TokenScope, TokenService } from './services.ts'

/** A working day; then the dashboard asks for the token again. */
export const SESSION_LIFETIME_MS = 12 * 3600 * 1000
/** Beyond it the oldest session ends. */
const MAX_SESSIONS = 100

export interface Sessions {
  open(token: string): string
  /** Undefined when the session has ended or its token was revoked since. */
  get(id: string): { readonly scopes: readonly TokenScope[]; readonly token: string } | undefined
  close(id: string): void
}

/** Sessions of the dashboard, in memory only: a restart logs it out. */
export function createSessions(tokens: Pick<TokenService, 'verify'>, now: () => number): Sessions {
  const sessions = new Map<string, { token: string; endsAt: number }>()
  return {
    open(token) {
      const id = randomBytes(32).toString('base64url')
      sessions.set(id, { token, endsAt: now() + SESSION_LIFETIME_MS })
      if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value!)
      return id
    },
    get(id) {
      const session = sessions.get(id)
      if (session === undefined) return undefined
      const scopes = session.endsAt > now() ? tokens.verify(session.token) : undefined
      if (scopes === undefined) sessions.delete(id)
      return scopes === undefined ? undefined : { scopes, token: session.token }
    },
    close: (id) => void sessions.delete(id)
  }
}

/** With the port in it: cookies do not know ports, and several daemons may run on one machine. */
export function sessionCookieName(c: Context<AppEnv>): string {
  const port = /:(\d+)$/.exec(hostOf(c)?.host ?? '')?.[1] ?? '80'
  return `chronym_session_${port}`
}
