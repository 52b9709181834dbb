import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import { page } from '../html.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { renderDocument } from '../openapi/render.ts'

const TAG = 'Documentation'

/** `document` is asked for at the first request: it is made from the whole app, these routes included. */
export function docsRoutes(document: () => Promise<OpenApiDocument>) {
  return new Hono<AppEnv>()
    .get(
      '/openapi.json',
      endpoint({ tag: TAG, summary: 'This interface as OpenAPI 3.1', access: 'public', answers: { 200: { description: 'The document', media: 'application/json' } } }),
      async (c) => c.json(await document())
    )
    .get(
      '/docs',
      endpoint({ tag: TAG, summary: 'This interface as a page', access: 'public', answers: { 200: { description: 'The page', media: 'text/html' } } }),
      async (c) => page(c, 'Chronym HTTP interface', renderDocument(await document()))
    )
}
