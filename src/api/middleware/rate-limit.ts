import type { Context } from 'hono'
import { clientOf } from '../http/client-address.ts'
import type { AppEnv } from '../env.ts'
import type { RateLimits } from '../access/rate-limits.ts'

/** A noisy neighbour on this machine must not make a supervisor believe that the daemon is dead. */
const FOR_SUPERVISORS: ReadonlySet<string> = new Set(['/healthz', '/readyz'])
/**
 * Nor keep the owner from the dashboard and the command line from asking which daemon this is, before anybody is known.
 * What is wrong there counts as a failed login.
 */
const FOR_LOGIN: ReadonlySet<string> = new Set(['/', '/session', '/api/challenge'])

function isExempt(path: string): boolean {
  return FOR_SUPERVISORS.has(path) || FOR_LOGIN.has(path) || path.startsWith('/assets/')
}

/** SVC-REQ-005: each token has a limit of its own, those without one have that of their address. */
export function rateLimit(limits: RateLimits): (c: Context<AppEnv>) => void {
  return (c) => {
    const { token } = c.get('caller')
    if (token !== undefined) limits.known(token)
    else if (!isExempt(c.req.path)) limits.anonymous(clientOf(c))
  }
}
