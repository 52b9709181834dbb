import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'

/**
 * A header of the request, its name in lower case; undefined when absent. Most are: Node knows that without the scan
 * of all headers that Hono makes.
 */
export function requestHeader(c: Context<AppEnv>, name: Lowercase<string>): string | undefined {
  const { outgoing } = (c.env as AppEnv['Bindings'] | undefined) ?? {}
  if (outgoing !== undefined && outgoing.req.headers[name] === undefined) return undefined
  return c.req.header(name)
}
