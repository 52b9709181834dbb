import { Hono } from 'hono'
import type { AppEnv } from './http/request.ts'
import { notFound, onError } from './errors/problem.ts'
import { accessLog } from './middleware/access-log.ts'
import { authenticate } from './middleware/authenticate.ts'
import { guard } from './middleware/guard.ts'
import { headLength } from './middleware/head-length.ts'
import { createDocument } from './openapi/document.ts'
import { createLoginLinks, createSessions } from './access/sessions.ts'
import { createRateLimits, DEFAULT_LIMITS, type LimitSizes } from './access/rate-limits.ts'
import { challengeRoutes, tokenRoutes } from './routes/tokens.ts'
import { configRoutes, eventRoutes, networkRoutes } from './routes/daemon.ts'
import { dashboardRoutes, docsRoutes, errorRoutes, verifyRoutes } from './routes/site.ts'
import { didResolutionRoutes } from './routes/did-resolution.ts'
import { dnsQueryRoutes, dnsRoutes, pacRoutes } from './routes/dns.ts'
import { identityRoutes } from './routes/identities.ts'
import { keyRoutes, nameRoutes, pinListRoutes, pinRoutes, wantedRoutes } from './routes/names.ts'
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

  const app = new Hono<AppEnv>()
  app.use(headLength)
  app.use(accessLog(services))
  app.use(guard(services, options.host))
  app.use(authenticate(services, sessions, limits))
  for (const routes of [
    networkRoutes(services),
    resolveRoutes(services),
    didResolutionRoutes(services),
    nameRoutes(services),
    keyRoutes(services),
    pinRoutes(services),
    pinListRoutes(services),
    wantedRoutes(services),
    taskRoutes(services, streams),
    zoneRoutes(services),
    identityRoutes(services),
    configRoutes(services),
    dnsRoutes(services),
    dnsQueryRoutes(services),
    pacRoutes(services),
    eventRoutes(services, streams),
    tokenRoutes(services),
    challengeRoutes(services),
    sessionRoutes(services, sessions, createLoginLinks(now), limits),
    operationRoutes(services),
    seedRoutes(services),
    errorRoutes(),
    docsRoutes(() => createDocument(app, services.version)),
    dashboardRoutes(),
    verifyRoutes()
  ])
    app.route('/', routes)
  app.notFound(notFound(app))
  app.onError(onError(services))
  return app
}
