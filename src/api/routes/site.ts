import { Hono } from 'hono'
import { accepts } from 'hono/accepts'
import { createHash } from 'node:crypto'
import { ServiceError } from '../../errors.ts'
import { ERROR_TABLE, type ErrorCode, occurrence } from '../../error-table.ts'
import { endpoint, hidden } from '../endpoint.ts'
import { type AppEnv, etagMatches } from '../http/request.ts'
import { html, page, pageText, textHtml } from '../http/response.ts'
import { type ErrorPageBody, ErrorPageSchema } from '../schemas/common.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { renderDocument } from '../openapi/render.ts'
import { dashboard } from '../../web/index.ts'
import { verifyModules } from '../../web/verify-modules.ts'

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_TABLE, code)
}

export function errorRoutes() {
  return new Hono<AppEnv>().get(
    '/errors/:code',
    endpoint({
      tag: 'Documentation',
      summary: 'What an error code means, and its cure',
      access: 'public',
      parameters: [
        {
          name: 'code',
          in: 'path',
          description: 'A code of the error table',
          example: 'SVC-RES-002',
          schema: { pattern: '^SVC-[A-Z]{3}-[0-9]{3}$' },
          refusal: 'SVC-REQ-004'
        }
      ],
      answers: {
        200: {
          description: 'JSON, or a page when HTML is asked for',
          schema: ErrorPageSchema,
          media: ['application/json', 'text/html']
        }
      },
      errors: ['SVC-REQ-004']
    }),
    (c) => {
      const code = c.req.param('code')
      if (!isErrorCode(code)) throw new ServiceError('SVC-REQ-004', 'The error table has no such code.')
      const { status, title, cause, cure } = ERROR_TABLE[code]
      c.header('Vary', 'Accept', { append: true })
      const type = accepts(c, {
        header: 'Accept',
        supports: ['application/json', 'text/html'],
        default: 'application/json'
      })
      if (type !== 'text/html') return c.json<ErrorPageBody>({ code, status, title, cause, cure })
      const http = status === null ? textHtml(occurrence(code)) : `HTTP ${status}`
      return page(
        c,
        `${code}: ${title}`,
        `<p>${http}</p><h2>Cause</h2><p>${textHtml(cause)}</p><h2>Cure</h2><p>${textHtml(cure)}</p><p><a ` +
          'href="/docs">All of the interface</a></p>'
      )
    }
  )
}

const TAG = 'Documentation'

/**
 * `document` is asked for at the first request: it is made from the whole app, these routes included. Text and page are
 * made from it once.
 */
export function docsRoutes(document: () => Promise<OpenApiDocument>) {
  let made: Promise<{ readonly json: string; readonly html: string }> | undefined
  const texts = () =>
    (made ??= document().then((content) => ({
      json: JSON.stringify(content),
      html: pageText('Chronym HTTP interface', renderDocument(content))
    })))

  return new Hono<AppEnv>()
    .get(
      '/openapi.json',
      endpoint({
        tag: TAG,
        summary: 'This interface as OpenAPI 3.1',
        access: 'public',
        answers: { 200: { description: 'The document', media: 'application/json' } }
      }),
      async (c) => c.body((await texts()).json, 200, { 'Content-Type': 'application/json' })
    )
    .get(
      '/docs',
      endpoint({
        tag: TAG,
        summary: 'This interface as a page',
        access: 'public',
        answers: { 200: { description: 'The page', media: 'text/html' } }
      }),
      async (c) => html(c, (await texts()).html)
    )
}

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
