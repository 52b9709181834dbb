import { Hono, type Context } from 'hono'
import { dashboard, type Asset } from '../../../web/index.ts'
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

/** The paths of files have a version in them, a year is as good as always. */
const IMMUTABLE = 'public, max-age=31536000, immutable'
/** Kept, but never shown before the daemon has said that it is the newest. */
const ASK_FIRST = 'no-cache'

export function dashboardRoutes() {
  const routes = new Hono<AppEnv>()
  const { assets, importMapSource } = dashboard()
  for (const asset of assets) {
    if (asset.path === '/') routes.get('/', PAGE, (c) => answer(c, asset, () => html(c, asset.body, importMapSource)))
    else
      routes.get(asset.path, hidden(), (c) =>
        answer(c, asset, () => c.body(asset.body, 200, { 'Content-Type': asset.type }))
      )
  }
  return routes
}

function answer(c: Context<AppEnv>, { isImmutable, etag }: Asset, whole: () => Response): Response {
  c.header('Cache-Control', isImmutable ? IMMUTABLE : ASK_FIRST)
  c.header('ETag', etag)
  return etagMatches(c.req.header('If-None-Match'), etag) ? c.body(null, 304) : whole()
}
