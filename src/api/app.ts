import { Hono } from 'hono'
import type { AppEnv } from './env.ts'
import { accessLog } from './middleware/access-log.ts'
import { guard } from './middleware/guard.ts'

import { notFound } from './errors/not-found.ts'
import { onError } from './errors/on-error.ts'
import { createDocument } from './openapi/document.ts'
import { createRateLimits, DEFAULT_LIMITS, type LimitSizes } from './access/rate-limits.ts'
import { challengeRoutes } from './routes/access/challenge.ts'
import { configRoutes } from './routes/config.ts'
import { dashboardRoutes } from './routes/site/dashboard.ts'
import { docsRoutes } from './routes/site/docs.ts'
import { errorRoutes } from './routes/site/errors.ts'
import { eventRoutes } from './routes/events.ts'
import { identityRoutes } from './routes/identities.ts'
import { nameRoutes } from './routes/names.ts'
import { pinRoutes } from './routes/pins.ts'
import { wantedRoutes } from './routes/wanted.ts'
import { networkRoutes } from './routes/network.ts'
import { operationRoutes } from './routes/operations.ts'
import { resolveRoutes } from './routes/resolve.ts'
import { sessionRoutes } from './routes/access/session.ts'
import { taskRoutes } from './routes/tasks.ts'
import { tokenRoutes } from './routes/access/tokens.ts'
import { zoneRoutes } from './routes/zones.ts'
import type { ApiServices } from './services.ts'
import { createSessions } from './access/sessions.ts'
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
    shutdown: options.shutdown ?? new AbortController().signal
  }
  const limits = createRateLimits(options.limits ?? DEFAULT_LIMITS, now)
  const sessions = createSessions(services.tokens, now)

  const app = new Hono<AppEnv>()
  app.use(accessLog(services))
  app.use(guard({ services, sessions, limits, host: options.host }))

  app.route('/', networkRoutes(services))
  app.route('/', resolveRoutes(services))
  app.route('/', nameRoutes(services))
  app.route('/', pinRoutes(services))
  app.route('/', wantedRoutes(services))
  app.route('/', taskRoutes(services, streams))
  app.route('/', zoneRoutes(services))
  app.route('/', identityRoutes(services))
  app.route('/', configRoutes(services))
  app.route('/', eventRoutes(services, streams))
  app.route('/', tokenRoutes(services))
  app.route('/', challengeRoutes(services))
  app.route('/', sessionRoutes(services, sessions, limits))
  app.route('/', operationRoutes(services))
  app.route('/', errorRoutes())
  app.route(
    '/',
    docsRoutes(() => createDocument(app, services.version))
  )
  app.route('/', dashboardRoutes())

  app.notFound(notFound(app))
  app.onError(onError(services))
  return app
}
