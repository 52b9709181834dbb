import { Hono, type Context } from 'hono'
import type { AppEnv } from '../http/request.ts'
import type { Attend } from './attend.ts'

/** A handler, or a middleware that returns what `next` returns. */
type Step = (c: Context<AppEnv, string>, next: () => Promise<void>) => Response | Promise<Response>

/**
 * An app with the routes of `declared`, each as one handler, called through `attend`: Hono answers a single handler
 * without a promise.
 */
export function withOneHandler(declared: Hono<AppEnv>, attend: Attend): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  const chains = new Map<string, { readonly method: string; readonly path: string; readonly steps: Step[] }>()
  for (const { method, path, handler } of declared.routes) {
    const key = `${method} ${path}`
    const chain = chains.get(key) ?? { method, path, steps: [] }
    chain.steps.push(handler)
    chains.set(key, chain)
  }
  for (const { method, path, steps } of chains.values()) {
    const route = inOrder(steps)
    // Keeps the OpenAPI description of each step.
    const handler = (c: Context<AppEnv, string>) => attend(c, route)
    app.on(method, path, Object.assign(handler, ...steps) as typeof handler)
  }
  return app
}

function inOrder(steps: readonly Step[]): (c: Context<AppEnv, string>) => Response | Promise<Response> {
  const run = (c: Context<AppEnv, string>, index: number): Response | Promise<Response> => {
    const next = () => run(c, index + 1) as unknown as Promise<void>
    return steps[index]!(c, next)
  }
  return (c) => run(c, 0)
}
