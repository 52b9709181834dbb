import type { MiddlewareHandler } from 'hono'
import { clientOf } from '../client-address.ts'
import type { AppEnv } from '../env.ts'
import type { RateLimits } from '../rate-limits.ts'

/** A noisy neighbour on this machine must not make a supervisor believe that the daemon is dead, nor keep the owner's command line from asking which daemon this is. */
const EXEMPT = new Set(['/healthz', '/readyz', '/api/challenge'])

export function rateLimit(limits: RateLimits): MiddlewareHandler<AppEnv> {
  return (c, next) => {
    if (!EXEMPT.has(c.req.path)) limits.request(clientOf(c), c.get('identity').via !== 'none')
    return next()
  }
}
