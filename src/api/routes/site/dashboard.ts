import { createHash } from 'node:crypto'
import { Hono } from 'hono'
import { dashboard } from '../../../web/index.ts'
import { endpoint, hidden } from '../../endpoint.ts'
import type { AppEnv } from '../../env.ts'
import { etagMatches } from '../../http/etag.ts'
import { html } from '../../http/html.ts'

const PAGE = endpoint({
  tag: 'Documentation',
  summary: 'The dashboard',
  access: 'public',
  answers: { 200: { description: 'The page', media: 'text/html' } }
})

/** Any change gives all files another path. The page, which names these paths, is never kept. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

export function dashboardRoutes() {
  const routes = new Hono<AppEnv>()
  const { assets, importMapSource } = dashboard()
  for (const asset of assets) {
    const { path, type } = asset
    let etag: string | undefined
    if (path === '/') routes.get(path, PAGE, (c) => html(c, asset.body, importMapSource))
    else
      routes.get(path, hidden(), (c) => {
        etag ??= `"${createHash('sha256').update(asset.body).digest('base64url')}"`
        c.header('Cache-Control', IMMUTABLE)
        c.header('ETag', etag)
        return etagMatches(c.req.header('If-None-Match'), etag)
          ? c.body(null, 304)
          : c.body(asset.body, 200, { 'Content-Type': type })
      })
  }
  return routes
}
