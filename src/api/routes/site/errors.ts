import { Hono } from 'hono'
import { accepts } from 'hono/accepts'
import { ServiceError } from '../../../errors.ts'
import { ERROR_TABLE, occurrence, type ErrorCode } from '../../../error-table.ts'
import { endpoint } from '../../endpoint.ts'
import type { AppEnv } from '../../env.ts'
import { escapeHtml, page } from '../../http/html.ts'
import { ErrorPageSchema, type ErrorPageBody } from '../../schemas/problem.ts'

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
          schema: { pattern: '^SVC-[A-Z]{3}-[0-9]{3}$' }
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
      const http = status === null ? occurrence(code).replaceAll('`', '') : `HTTP ${status}`
      return page(
        c,
        `${code}: ${title}`,
        `<p>${http}</p><h2>Cause</h2><p>${escapeHtml(cause)}</p><h2>Cure</h2><p>${escapeHtml(cure)}</p><p><a ` +
          'href="/docs">All of the interface</a></p>'
      )
    }
  )
}
