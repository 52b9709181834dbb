import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'

/**
 * A header of the request, its name in lower case; undefined when there is none. Over a socket Node knows at once which
 * are absent, as most are that we ask for: Hono's own way goes through all of them each time.
 */
export function requestHeader(c: Context<AppEnv>, name: Lowercase<string>): string | undefined {
  const { outgoing } = (c.env as AppEnv['Bindings'] | undefined) ?? {}
  if (outgoing !== undefined && outgoing.req.headers[name] === undefined) return undefined
  return c.req.header(name)
}
