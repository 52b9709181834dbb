import type { Context } from 'hono'
import { ServiceError } from '../../errors.ts'
import { type AppEnv, type Host, hostOf, isLoopbackName } from '../http/request.ts'
import type { ApiServices } from '../services.ts'

/**
 * Refuses a Host that this daemon does not answer for [DNS rebinding: a web page's own name is made to point at
 * 127.0.0.1]. Loopback names and the address listened on (`own`) always pass.
 */
export function hostGuard(
  { allowedHosts }: Pick<ApiServices, 'allowedHosts'>,
  own?: string
): (c: Context<AppEnv>) => void {
  const isOwn = (host: Host) => own !== undefined && sameHost(own, host)
  // Of the last request that named a loopback host or our own, which pass whatever the configuration becomes: nearly
  // every one names the same.
  let lastOwn: string | undefined
  return (c) => {
    const header = c.req.header('Host')
    if (header !== undefined && header === lastOwn) return
    const host = hostOf(c)
    if (host === undefined) throw new ServiceError('SVC-REQ-001', 'The Host header is not one host and port.')
    if (isLoopbackName(host.hostname) || isOwn(host)) lastOwn = header
    else if (!allowedHosts().some((allowed) => sameHost(allowed, host))) {
      throw new ServiceError(
        'SVC-AUT-002',
        `The Host "${host.hostname.slice(0, 255)}" is not one this daemon answers for; add it to api.allowed_hosts.`
      )
    }
  }
}

/** An allowed host may be given with a port, which then must match. */
function sameHost(allowed: string, host: Host): boolean {
  const name = allowed.toLowerCase()
  return name === host.hostname || name === host.host || `[${name}]` === host.hostname
}
