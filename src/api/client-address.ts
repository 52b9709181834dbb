import type { Context } from 'hono'
import type { AppEnv } from './env.ts'

/** Whom a limit counts: the address of the socket. Forwarding headers are anybody's words and are not read. */
export function clientOf(c: Context<AppEnv>): string {
  // Under app.request() there are no bindings at all.
  const bindings = c.env as AppEnv['Bindings'] | undefined
  return bindings?.incoming?.socket.remoteAddress ?? 'local'
}
