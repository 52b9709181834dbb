import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'

export interface Host {
  /** Without port, in lower case, IPv6 in brackets. */
  readonly hostname: string
  /** With the port, when one is given. */
  readonly host: string
}

/** The host that a request names; undefined when the header is not a host and port. */
export function hostOf(c: Context<AppEnv>): Host | undefined {
  const header = c.req.header('Host') ?? new URL(c.req.url).host
  if (!/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(header)) return undefined
  const host = header.toLowerCase()
  return { host, hostname: host.replace(/:\d+$/, '').replace(/\.$/, '') }
}

/** RFC 6761 "localhost", 127.0.0.0/8 and ::1. */
export function isLoopbackName(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(hostname)
  )
}

/** Does the Origin header, when there is one, name the very host that the request was sent to? */
export function isSameOrigin(c: Context<AppEnv>, origin: string): boolean {
  const host = hostOf(c)
  return host !== undefined && (origin === `http://${host.host}` || origin === `https://${host.host}`)
}
