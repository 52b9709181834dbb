import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'

/**
 * Sets a header of the answer. Over a socket Node gets it at once: Hono's own way makes a Headers object of each
 * answer, which costs more than a short route does. What a route sets by Hono's way replaces it.
 */
export function setHeader(c: Context<AppEnv>, name: string, value: string): void {
  const bindings = c.env as AppEnv['Bindings'] | undefined
  if (bindings?.outgoing === undefined) c.header(name, value)
  else bindings.outgoing.setHeader(name, value)
}
