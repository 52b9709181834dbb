import { createClient, type Client } from '../api/client.ts'
import type { Context } from './context.ts'
import { daemonUrl, findToken } from './location.ts'

/** The client of the daemon that this command line is about. `anonymous` sends no token, as a stranger would ask. */
export function connect(context: Context, { anonymous = false } = {}): Client {
  return createClient({ baseUrl: daemonUrl(context), token: anonymous ? undefined : findToken(context) })
}
