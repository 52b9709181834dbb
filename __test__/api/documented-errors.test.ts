/** Walks /openapi.json: every code that an operation documents is provoked there, and nothing else comes. */
import { afterAll, describe, expect, it } from 'vitest'
import { MAX_BODY_BYTES } from '../../src/api/http/body.ts'
import { createDocument } from '../../src/api/openapi/document.ts'
import { ServiceError } from '../../src/errors.ts'
import { ERROR_TABLE, type ErrorCode } from '../../src/error-table.ts'
import { ENDPOINTS, furnish, pathIn, plant, type EndpointCase } from './helpers/endpoints.ts'
import { createWorld, MAIN_TOKEN, type RequestOptions, type World } from './helpers/world.ts'

const document = await createDocument(createWorld().app, '1')
const reached = new Set<ErrorCode>()

function documented(operation: string): ErrorCode[] {
  const [method = '', path = ''] = operation.split(' ')
  const responses = document.paths[path]?.[method.toLowerCase() as 'get']?.responses ?? {}
  return Object.values(responses).flatMap((response) => {
    const content = (response as { content?: Record<string, { examples?: object }> }).content
    return Object.keys(content?.['application/problem+json']?.examples ?? {}) as ErrorCode[]
  })
}

const CASES = ENDPOINTS.flatMap((endpoint) => documented(endpoint.operation).map((code) => ({ ...endpoint, code })))

const CHALLENGE = '/api/challenge'

interface Attempt {
  readonly world: World
  readonly path: string
  readonly options: RequestOptions
}

/** How a code is provoked that no service raises, or that is raised before the service is asked. */
const PROVOCATIONS: Partial<Record<ErrorCode, (attempt: Attempt, endpoint: EndpointCase) => Promise<Response>>> = {
  'SVC-REQ-001': (attempt, endpoint) =>
    endpoint.path.startsWith(CHALLENGE)
      ? send(endpoint, { ...attempt, path: attempt.path.replace('nonce=', 'nonce=x') })
      : endpoint.body === undefined
        ? planted('SVC-REQ-001')(attempt, endpoint)
        : send(endpoint, attempt, { body: [] }),
  'SVC-REQ-002': (attempt, endpoint) =>
    send(endpoint, attempt, { raw: 'x'.repeat(MAX_BODY_BYTES + 1), headers: { 'Content-Type': 'application/json' } }),
  'SVC-REQ-003': (attempt, endpoint) =>
    send(endpoint, attempt, { raw: 'name=alice', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
  'SVC-REQ-004': (attempt, endpoint) => send(endpoint, { ...attempt, path: attempt.path.replace(/[^/]+$/, 'nothing') }),
  'SVC-REQ-005': async (attempt, endpoint) => {
    const once = { perSecond: 0.5, burst: 1 }
    const world = createWorld({ limits: { anonymous: once, known: once, failedLogins: once } })
    await world.request('GET', '/nothing', attempt.options.token === undefined ? {} : { token: attempt.options.token })
    // Supervisors' checks and the way to the dashboard are exempt; a client that keeps sending bad tokens is refused
    // there too.
    if (!/^\/(?:|session|\w+z)$/.test(endpoint.path) && !endpoint.path.startsWith(CHALLENGE))
      return send(endpoint, { ...attempt, world })
    await send(endpoint, { ...attempt, world }, { token: 'bad' })
    return send(endpoint, { ...attempt, world }, { token: 'bad' })
  },
  'SVC-REQ-006': async (attempt, endpoint) => {
    const headers = { 'Idempotency-Key': 'same' }
    await send(endpoint, attempt, { headers })
    return send(endpoint, attempt, { headers, body: { name: 'other.chronym' } })
  },
  'SVC-AUT-001': (attempt, endpoint) => send(endpoint, attempt, { token: 'not-a-token' }),
  'SVC-AUT-002': (attempt, endpoint) => send(endpoint, attempt, { headers: { Host: 'rebound.example' } }),
  'SVC-AUT-003': (attempt, endpoint) => send(endpoint, { ...attempt, path: attempt.path.replace(/[^/]+$/, 'nobody') }),
  'SVC-AUT-004': (attempt, endpoint) => send(endpoint, { ...attempt, path: attempt.path.replace(':7468', ':7469') }),
  'SVC-PIN-001': (attempt, endpoint) =>
    send(endpoint, { ...attempt, path: attempt.path.replace(/[^/]+$/, 'nobodys.chronym') }),
  'SVC-WNT-002': (attempt, endpoint) =>
    send(endpoint, { ...attempt, path: attempt.path.replace(/[^/]+$/, 'nobodys.chronym') }),
  'SVC-TSK-001': (attempt, endpoint) =>
    send(endpoint, { ...attempt, path: attempt.path.replace(/(?<=\/(?:status|tasks)\/)[^/]+/, 'none') }),
  'SVC-ZON-004': (attempt, endpoint) => send(endpoint, attempt, { headers: { 'If-Match': '"99"' } }),
  'SVC-INT-001': ({ world, path, options }, endpoint) => {
    world.services.tokens.verify = () => {
      throw new Error('secret /var/lib/chronym/path')
    }
    return send(endpoint, { world, path, options }, { token: 'any' })
  }
}

function send(
  { operation }: EndpointCase,
  { world, path, options }: Attempt,
  more: RequestOptions = {}
): Promise<Response> {
  return world.request(operation.split(' ')[0]!, path, { ...options, ...more })
}

const planted = (code: ErrorCode) => (attempt: Attempt, endpoint: EndpointCase) => {
  if (endpoint.service === undefined) throw new Error(`Nothing behind ${endpoint.operation} could raise ${code}`)
  plant(attempt.world, endpoint.service, new ServiceError(code, 'Planted', { errors: [{ path: 'a/b', message: 'c' }] }))
  return send(endpoint, attempt)
}

describe('every documented error', () => {
  it.each(CASES)('$operation answers $code', async ({ code, ...endpoint }) => {
    const world = createWorld()
    // The others come before anything is looked up.
    const fill = code === 'SVC-ZON-004' || code === 'SVC-REQ-006' ? furnish : pathIn
    const path = await fill(world, endpoint)
    const attempt: Attempt = {
      world,
      path,
      options: {
        token: endpoint.token ? MAIN_TOKEN : undefined,
        body: endpoint.body,
        ...(endpoint.raw !== undefined && { raw: endpoint.raw }),
        ...(endpoint.headers !== undefined && { headers: endpoint.headers })
      }
    }
    const response = await (PROVOCATIONS[code] ?? planted(code))(attempt, endpoint)
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({
      code,
      type: `/errors/${code}`,
      title: ERROR_TABLE[code].title,
      status: ERROR_TABLE[code].status
    })
    expect(response.status).toBe(ERROR_TABLE[code].status)
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect((JSON.parse(text) as { request_id: string }).request_id).toBe(response.headers.get('X-Request-Id'))
    expect(response.headers.has('WWW-Authenticate')).toBe(response.status === 401)
    if (response.status === 429 || response.status === 503)
      expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(text).not.toMatch(/secret|\/var\/|\bat .*:\d+:\d+/)
    reached.add(code)
  })

  it('has a path that is served with another method: SVC-REQ-007 says which', async () => {
    const response = await createWorld().request('PUT', '/api/zone/alice.chronym', { token: MAIN_TOKEN })
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe('DELETE, GET, HEAD, PATCH, POST')
    expect(await response.json()).toMatchObject({ code: 'SVC-REQ-007' })
    reached.add('SVC-REQ-007')
  })

  it('is allowed what the document says of it, though a path with a parameter is like it', async () => {
    const response = await createWorld().request('OPTIONS', '/api/config/fields', { token: MAIN_TOKEN })
    expect(response.headers.get('Allow')).toBe('GET, HEAD')
  })

  it('shows SVC-TSK-003 in the error of a cancelled task only', async () => {
    const world = createWorld()
    const path = `/api/vdf/status/${world.node.tasks.create({ name: 'alice.chronym', kind: 'register' }).task_id}`
    await world.request('DELETE', path, { token: MAIN_TOKEN })
    expect(await (await world.request('GET', path, { token: MAIN_TOKEN })).json()).toMatchObject({
      error: { code: 'SVC-TSK-003' }
    })
    reached.add('SVC-TSK-003')
  })

  afterAll(() => {
    // No answer has these: __test__/data-directory/open.test.ts, __test__/data-directory/dns-key.test.ts,
    // __test__/cli/commands/daemon/key.test.ts, __test__/daemon/seed-at-start.test.ts, __test__/dns/service.test.ts and __test__/dns/certificate.test.ts
    // provoke them, and __test__/e2e/earlier-directory.test.ts.
    const answered = Object.entries(ERROR_TABLE).flatMap(([code, { status }]) =>
      /^SVC-(?:KEY|DNS|STO)-/.test(code) && status === null ? [] : [code]
    )
    // With `-t` only some cases run.
    if (reached.size > 5) expect([...reached].sort()).toEqual(answered.sort())
  })
})
