import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'

/** What every answer says beside its identifier: nobody sniffs, keeps or refers. */
const BASELINE = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store'
} as const

/**
 * Sets what every answer says. Over a socket Node gets it at once: Hono's own way makes a Headers object of each
 * answer, which costs more than a short route does. What a route set by Hono's way replaces it.
 */
export function setBaseline(c: Context<AppEnv>): void {
  if (c.get('hasBaseline') === true) return
  const outgoing = (c.env as AppEnv['Bindings'] | undefined)?.outgoing
  const set = (name: string, value: string): void => {
    if (outgoing === undefined) c.header(name, value)
    else outgoing.setHeader(name, value)
  }
  set('X-Request-Id', c.get('requestId'))
  for (const name in BASELINE) set(name, BASELINE[name as keyof typeof BASELINE])
}

/**
 * Answers 200 with a text that is JSON, all headers in one plain object: node-server hands such an object to Node as it
 * is, where each header set alone goes through Node's own table. For the answers that are asked for often; headers that
 * Hono holds (c.header) are not in it.
 */
export function wholeJson(c: Context<AppEnv>, text: string, more?: Readonly<Record<string, string>>): Response {
  c.set('hasBaseline', true)
  return new Response(text, {
    headers: { 'Content-Type': 'application/json', 'X-Request-Id': c.get('requestId'), ...BASELINE, ...more }
  })
}
