import { Hono } from 'hono'
import { endpoint } from '../../endpoint.ts'
import type { AppEnv } from '../../env.ts'
import { html, pageText } from '../../http/html.ts'
import type { OpenApiDocument } from '../../openapi/document.ts'
import { renderDocument } from '../../openapi/render.ts'

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
