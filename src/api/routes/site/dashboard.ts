import { Hono } from 'hono'
import { dashboardAssets } from '../../../web/index.ts'
import { endpoint, hidden } from '../../endpoint.ts'
import type { AppEnv } from '../../env.ts'
import { html } from '../../http/html.ts'

const PAGE = endpoint({
  tag: 'Documentation',
  summary: 'The dashboard',
  access: 'public',
  answers: { 200: { description: 'The page', media: 'text/html' } }
})

export function dashboardRoutes() {
  const routes = new Hono<AppEnv>()
  for (const { path, type, body } of dashboardAssets()) {
    if (path === '/') routes.get(path, PAGE, (c) => html(c, body))
    else routes.get(path, hidden(), (c) => c.body(body, 200, { 'Content-Type': type }))
  }
  return routes
}
