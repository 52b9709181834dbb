import { Hono } from 'hono'
import { dashboardAssets } from '../../web/index.ts'
import { endpoint, hidden } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import { html } from '../html.ts'

export function dashboardRoutes() {
  const assets = new Map(dashboardAssets().map((asset) => [asset.path, asset]))
  return new Hono<AppEnv>()
    .get(
      '/',
      endpoint({ tag: 'Documentation', summary: 'The dashboard', access: 'public', answers: { 200: { description: 'The page', media: 'text/html' } } }),
      (c) => html(c, assets.get('/')!.body)
    )
    .get('/assets/:file', hidden(), async (c, next) => {
      const asset = assets.get(c.req.path)
      if (asset === undefined) return next()
      return c.body(asset.body, 200, { 'Content-Type': asset.type })
    })
}
