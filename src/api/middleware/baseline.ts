import type { MiddlewareHandler } from 'hono'
import { refuseDeclaredLength } from '../body.ts'
import type { AppEnv } from '../env.ts'

/** What every answer says, and what is refused whoever asks: a body whose declared length is over the limit. */
export function baseline(): MiddlewareHandler<AppEnv> {
  return (c, next) => {
    c.header('X-Content-Type-Options', 'nosniff')
    c.header('Referrer-Policy', 'no-referrer')
    c.header('Cache-Control', 'no-store')
    refuseDeclaredLength(c.req.header('Content-Length'))
    return next()
  }
}
