import { resolver, type DescribeRouteOptions } from 'hono-openapi'
import { ERROR_TABLE, type ErrorCode } from '../../error-table.ts'
import { ProblemSchema } from '../schemas/common.ts'

const HEADERS: Record<number, Record<string, { $ref: string }>> = {
  401: { 'WWW-Authenticate': { $ref: '#/components/headers/Challenge' } },
  429: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
  503: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
}

function example(code: ErrorCode) {
  const { status, title, cause } = ERROR_TABLE[code]
  return {
    summary: title,
    value: {
      type: `/errors/${code}`,
      title,
      status,
      detail: cause,
      code,
      request_id: '3f1c9a52-0d0e-4f0e-9a53-6f1d2b7c8e90'
    }
  }
}

/** The problem responses of an operation, one for each status, each code with its example. */
export function problemResponses(codes: Iterable<ErrorCode>): NonNullable<DescribeRouteOptions['responses']> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const { status } = ERROR_TABLE[code]
    if (status !== null) byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      String(status),
      {
        description: group.map((code) => `${code}: ${ERROR_TABLE[code].title}`).join('. '),
        headers: { ...HEADERS[status], 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
        content: {
          'application/problem+json': {
            schema: resolver(ProblemSchema),
            examples: Object.fromEntries(group.map((code) => [code, example(code)]))
          }
        }
      }
    ])
  )
}
