import type { Context } from 'hono'
import type { AppEnv } from '../http/request.ts'
import { rateLimit, type RateLimits } from '../access/rate-limits.ts'
import type { ApiServices } from '../services.ts'
import type { Sessions } from '../access/sessions.ts'
import { authenticate } from './authenticate.ts'
import { refuseLongBody } from './baseline.ts'
import { hostGuard } from './host-guard.ts'
import { originGuard } from './origin-guard.ts'

export interface GuardOptions {
  readonly services: ApiServices
  readonly sessions: Sessions
  readonly limits: RateLimits
  /** The address listened on. */
  readonly host: string | undefined
}

export interface Guard {
  /**
   * Whether a page of an allowed origin asks, whose answer needs CORS headers. Throws ServiceError for a request that
   * is never answered.
   */
  readonly isForeign: (c: Context<AppEnv>) => boolean
  /** Authenticates and counts the request. Throws ServiceError. */
  readonly admit: (c: Context<AppEnv>) => void
}

/**
 * Everything that is asked of a request before its route, in this order. Who asks is known before anything is counted,
 * so that what nobody known spends is not the owner's.
 */
export function createGuard({ services, sessions, limits, host }: GuardOptions): Guard {
  const checkHost = hostGuard(services, host)
  const isForeign = originGuard(services)
  const identify = authenticate(services, sessions, limits)
  const count = rateLimit(limits)
  return {
    isForeign(c) {
      refuseLongBody(c)
      checkHost(c)
      return isForeign(c)
    },
    admit(c) {
      identify(c)
      count(c)
    }
  }
}
