import { Hono, type Context } from 'hono'
import type { AppEnv } from './http/request.ts'
import { createAttend } from './middleware/attend.ts'
import { notFound, onError } from './errors/problem.ts'
import { withOneHandler } from './middleware/one-handler.ts'
import { createDocument } from './openapi/document.ts'
import { createLoginLinks, createSessions } from './access/sessions.ts'
import { createRateLimits, DEFAULT_LIMITS, type LimitSizes } from './access/rate-limits.ts'
import { challengeRoutes, tokenRoutes } from './routes/tokens.ts'
import { configRoutes, eventRoutes, networkRoutes } from './routes/daemon.ts'
import { dashboardRoutes, docsRoutes, errorRoutes, verifyRoutes } from './routes/site.ts'
import { didResolutionRoutes } from './routes/did-resolution.ts'
import { dnsQueryRoutes, dnsRoutes } from './routes/dns.ts'
import { identityRoutes } from './routes/identities.ts'
import { nameRoutes, pinRoutes, wantedRoutes } from './routes/names.ts'
import { operationRoutes, seedRoutes } from './routes/operations.ts'
import { resolveRoutes } from './routes/resolve.ts'
import { sessionRoutes } from './routes/session.ts'
import { taskRoutes } from './routes/tasks.ts'
import { zoneRoutes } from './routes/zones.ts'
import type { ApiServices } from './services.ts'
import { HEARTBEAT_MS } from './http/sse.ts'

export interface AppOptions {
  /** Ends event streams; the server aborts it when it closes. */
  readonly shutdown?: AbortSignal
  /** The address listened on, which is answered for beside `allowedHosts`. */
  readonly host?: string
  readonly heartbeatMs?: number
  readonly limits?: LimitSizes
}

/** Puts the interface together from its routes; everything it does is done by `services`. */
export function createApp(services: ApiServices, options: AppOptions = {}): Hono<AppEnv> {
  const now = () => services.now()
  const streams = {
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    shutdown: options.shutdown ?? new AbortController().signal,
    open: new Map<string, number>()
  }
  const limits = createRateLimits(options.limits ?? DEFAULT_LIMITS, now)
  const sessions = createSessions(services.tokens, now)

  const declared = new Hono<AppEnv>()
  declared.route('/', networkRoutes(services))
  declared.route('/', resolveRoutes(services))
  declared.route('/', didResolutionRoutes(services))
  declared.route('/', nameRoutes(services))
  declared.route('/', pinRoutes(services))
  declared.route('/', wantedRoutes(services))
  declared.route('/', taskRoutes(services, streams))
  declared.route('/', zoneRoutes(services))
  declared.route('/', identityRoutes(services))
  declared.route('/', configRoutes(services))
  declared.route('/', dnsRoutes(services))
  declared.route('/', dnsQueryRoutes(services))
  declared.route('/', eventRoutes(services, streams))
  declared.route('/', tokenRoutes(services))
  declared.route('/', challengeRoutes(services))
  declared.route('/', sessionRoutes(services, sessions, createLoginLinks(now), limits))
  declared.route('/', operationRoutes(services))
  declared.route('/', seedRoutes(services))
  declared.route('/', errorRoutes())
  declared.route(
    '/',
    docsRoutes(() => createDocument(app, services.version))
  )
  declared.route('/', dashboardRoutes())
  declared.route('/', verifyRoutes())

  const answerError = onError(services)
  const attend = createAttend({ services, sessions, limits, host: options.host, onError: answerError })
  const refuse = notFound(declared)
  const app = withOneHandler(declared, attend)
  app.notFound((c: Context<AppEnv, string>) => attend(c, refuse))
  app.onError(answerError)
  return app
}
