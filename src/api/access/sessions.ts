import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { type AppEnv, hostOf } from '../http/request.ts'
import type { TokenScope } from '../schemas/daemon.ts'
import type { TokenService } from './tokens.ts'
import { BoundedMap } from '../../util/bounded-map.ts'

/** A working day; then the dashboard asks for the token again. */
export const SESSION_LIFETIME_MS = 12 * 3600 * 1000
/** Browsers of one token; beyond it the oldest session of that token ends, and never one of another token. */
const MAX_SESSIONS = 100
/** Tabs of one browser that are logged in; beyond it the oldest is logged out. */
const MAX_PAGES = 20

interface OpenedSession {
  readonly id: string
  /** Sent in the header X-Session-Secret. */
  readonly secret: string
}

export interface Sessions {
  /**
   * `former`: the cookie that the browser sent, whose session continues if it has the same token: its other tabs
   * stay logged in.
   */
  open(token: string, former?: string): OpenedSession
  /**
   * Undefined when the session has ended, its token was revoked since, or the secret is not one of its pages. Cookies
   * do not know ports: each local web server gets this one too, but not what a page of ours keeps.
   */
  get(
    id: string,
    secret: string | undefined
  ): { readonly scopes: readonly TokenScope[]; readonly token: string } | undefined
  close(id: string): void
}

interface Session {
  readonly token: string
  readonly endsAt: number
  /** SHA-256 of the secrets: the time of a look-up reveals nothing useful. */
  readonly pages: BoundedMap<string, true>
}

/** Sessions of the dashboard, in memory only: a restart logs it out. */
export function createSessions(tokens: Pick<TokenService, 'verify'>, now: () => number): Sessions {
  /** The oldest first. */
  const sessions = new Map<string, Session>()
  const live = (id: string): (Session & { readonly scopes: readonly TokenScope[] }) | undefined => {
    const session = sessions.get(id)
    if (session === undefined) return undefined
    const scopes = session.endsAt > now() ? tokens.verify(session.token) : undefined
    if (scopes === undefined) sessions.delete(id)
    return scopes === undefined ? undefined : { ...session, scopes }
  }
  const makeRoom = (token: string): void => {
    for (const id of sessions.keys()) live(id)
    const ofToken = [...sessions].filter(([, session]) => session.token === token)
    for (const [id] of ofToken.slice(0, Math.max(0, ofToken.length - MAX_SESSIONS))) sessions.delete(id)
  }
  return {
    open(token, former) {
      const known = former === undefined ? undefined : live(former)
      const goesOn = former !== undefined && known?.token === token
      const id = goesOn ? former : random()
      const secret = random()
      const pages = goesOn ? known.pages : new BoundedMap<string, true>(MAX_PAGES)
      pages.set(digest(secret), true)
      sessions.delete(id)
      sessions.set(id, { token, endsAt: now() + SESSION_LIFETIME_MS, pages })
      makeRoom(token)
      return { id, secret }
    },
    get(id, secret) {
      const session = secret === undefined ? undefined : live(id)
      return session?.pages.has(digest(secret!)) === true ? { scopes: session.scopes, token: session.token } : undefined
    },
    close(id) {
      sessions.delete(id)
    }
  }
}

/** With the port in it: cookies do not know ports, and several daemons may run on one machine. */
export function sessionCookieName(c: Context<AppEnv>): string {
  const port = /:(\d+)$/.exec(hostOf(c)?.host ?? '')?.[1] ?? '80'
  return `chronym_session_${port}`
}

function random(): string {
  return randomBytes(32).toString('base64url')
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

/** Time for a browser to start and load the page. */
export const LINK_LIFETIME_MS = 60 * 1000
/** Links that wait to be used; beyond it the oldest stops working. */
const MAX_LINKS = 10

export interface LoginLinks {
  /** A secret that opens one session of `token`. `endsAt`: milliseconds since 1970. */
  create(token: string): { readonly link: string; readonly endsAt: number }
  /** The token, once, which may be revoked meanwhile; undefined for a link that was used, is too old or never was. */
  use(link: string): string | undefined
}

interface Waiting {
  readonly hash: Buffer
  readonly token: string
  readonly endsAt: number
}

/** Links that log the dashboard in, in memory only: a restart ends them. */
export function createLoginLinks(now: () => number): LoginLinks {
  let waiting: readonly Waiting[] = []
  const unexpired = () => waiting.filter(({ endsAt }) => endsAt > now())
  return {
    create(token) {
      const link = randomBytes(32).toString('base64url')
      const endsAt = now() + LINK_LIFETIME_MS
      waiting = [...unexpired(), { hash: linkDigest(link), token, endsAt }].slice(-MAX_LINKS)
      return { link, endsAt }
    },
    use(link) {
      const hash = linkDigest(link)
      // Compares every hash, whichever fits: the time reveals nothing.
      const found = unexpired().filter((each) => timingSafeEqual(each.hash, hash))
      waiting = unexpired().filter((each) => !found.includes(each))
      return found[0]?.token
    }
  }
}

function linkDigest(link: string): Buffer {
  return createHash('sha256').update(link).digest()
}
