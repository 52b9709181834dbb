import type { Context, MiddlewareHandler } from 'hono'
import type { AppEnv } from '../env.ts'
import type { RateLimits } from '../access/rate-limits.ts'
import type { ApiServices } from '../services.ts'
import type { Sessions } from '../access/sessions.ts'
import { authenticate } from './authenticate.ts'
import { refuseLongBody } from './baseline.ts'
import { hostGuard } from './host-guard.ts'
import { allowOrigin, originGuard } from './origin-guard.ts'
import { rateLimit } from './rate-limit.ts'

export interface GuardOptions {
  readonly services: ApiServices
  readonly sessions: Sessions
  readonly limits: RateLimits
  /** The address listened on. */
  readonly host: string | undefined
}

/**
 * Everything that is asked of a request before its route, in this order and in one middleware: each further one costs
 * every answer a turn of promises. Who asks is known before anything is counted, so that what nobody known spends is
 * not the owner's.
 */
export function guard({ services, sessions, limits, host }: GuardOptions): MiddlewareHandler<AppEnv> {
  const checkHost = hostGuard(services, host)
  const isForeign = originGuard(services)
  const identify = authenticate(services, sessions, limits)
  const count = rateLimit(limits)
  const allow = allowOrigin()
  const admit = (c: Context<AppEnv>) => {
    identify(c)
    count(c)
  }
  return (c, next) => {
    refuseLongBody(c)
    checkHost(c)
    // Preflights are answered there, and refusals carry the headers that a page needs to read them.
    if (isForeign(c)) {
      c.set('isAllowedOrigin', true)
      return allow(c, () => {
        admit(c)
        return next()
      })
    }
    admit(c)
    return next()
  }
}
