import { Hono } from 'hono'
import { verifyModules } from '../../../web/verify-modules.ts'
import { ServiceError } from '../../../errors.ts'
import { hidden } from '../../endpoint.ts'
import type { AppEnv } from '../../env.ts'

/** `chronym/verify` for browsers, from `/assets/verify/index.js` and `/assets/verify/worker.js`. */
export function verifyRoutes() {
  const routes = new Hono<AppEnv>()
  routes.get('/assets/verify/*', hidden(), (c) => {
    const asset = verifyModules().get(c.req.path.slice('/assets/verify/'.length))
    if (asset === undefined) throw new ServiceError('SVC-REQ-004', 'Nothing is served at this path.')
    return c.body(asset.body, 200, { 'Content-Type': asset.type })
  })
  return routes
}
