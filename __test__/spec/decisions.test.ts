/** What the promise left open and was decided since, paragraph by paragraph: as firm as the promise itself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, expectProblem, type Json, register, startWorld, type World } from './daemon.ts'

const NAME = 'alice.chronym'
const STRING: unknown = expect.any(String)
const NUMBER: unknown = expect.any(Number)

let world: World
let task: Json
const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  world.request(method, path, { ...(body !== undefined && { body }), ...(headers !== undefined && { headers }) })

beforeAll(async () => {
  world = await startWorld()
  task = await register(world, NAME, { zone: { records: { '@': [{ type: 'A', value: '192.0.2.1' }] } } })
})
afterAll(() => world.end())

describe('Transport', () => {
  it('takes JSON only: SVC-REQ-003, 415', async () => {
    const request = { raw: 'mode=light', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expectProblem(await world.request('POST', '/api/config', request), 'SVC-REQ-003', 415)
  })

  it('takes bodies of at most 256 KiB: SVC-REQ-002, 413', async () => {
    const raw = JSON.stringify({ mode: 'full', padding: 'x'.repeat(256 * 1024) })
    expectProblem(await world.request('POST', '/api/vdf/register', { raw }), 'SVC-REQ-002', 413)
  })

  it('ignores unknown members of a request, except in the configuration: SVC-CFG-001, 400', async () => {
    expect(await call('POST', '/api/vdf/estimate', { name: NAME, unknown: 1 })).toMatchObject({ status: 200 })
    expectProblem(await call('POST', '/api/config', { unknown: 1 }), 'SVC-CFG-001', 400)
  })

  it('names the request in X-Request-Id of every response', async () => {
    for (const path of ['/healthz', '/api/network-status', '/nowhere'])
      expect((await call('GET', path)).headers.get('x-request-id')).toMatch(/./)
  })

  it('sends no CORS headers to an origin that is not allowed, and refuses its changes: SVC-AUT-002, 403', async () => {
    const origin = { origin: 'https://elsewhere.example' }
    expect((await call('GET', '/healthz', undefined, origin)).headers.get('access-control-allow-origin')).toBeNull()
    expectProblem(await call('POST', '/api/config', { mode: 'full' }, origin), 'SVC-AUT-002', 403)
  })
})

describe('Errors', () => {
  it('SVC-REQ-004, 404: no such route', async () =>
    expectProblem(await call('GET', '/api/nothing'), 'SVC-REQ-004', 404))

  it('SVC-REQ-007, 405: Allow says which methods there are', async () => {
    const answer = await call('PUT', '/api/config')
    expectProblem(answer, 'SVC-REQ-007', 405)
    expect(answer.headers.get('allow')).toMatch(/GET.*POST/)
  })

  it('SVC-REQ-001, 400: names each field at fault', async () => {
    const answer = await call('POST', '/api/vdf/register', { name: 7 })
    expectProblem(answer, 'SVC-REQ-001', 400)
    expect(answer.body.errors).toEqual([expect.objectContaining({ path: 'name', message: STRING })])
  })

  it.each([
    ['SVC-NAM-001', 400, 'POST', '/api/vdf/register', { name: 'no name' }],
    ['SVC-NAM-002', 403, 'POST', '/api/vdf/register', { name: 'www.chronym' }],
    ['SVC-OWN-001', 403, 'POST', '/api/vdf/renew', { name: 'nobody.chronym' }],
    ['SVC-OWN-001', 403, 'POST', '/api/zone/nobody.chronym', { records: {} }],
    ['SVC-OWN-001', 403, 'POST', '/api/zone/nobody.chronym/publish', undefined],
    ['SVC-ZON-002', 422, 'POST', `/api/zone/${NAME}`, { records: { '@': [{ type: 'A', value: '1.2.3' }] } }],
    ['SVC-ZON-002', 422, 'POST', `/api/zone/${NAME}`, { records: { '@': [{ type: 'CNAME', value: 'www' }] } }],
    ['SVC-ZON-003', 404, 'DELETE', `/api/zone/${NAME}`, undefined],
    ['SVC-TSK-001', 404, 'GET', '/api/vdf/status/none', undefined],
    ['SVC-CFG-001', 400, 'POST', '/api/config', { mode: 'fast' }],
    ['SVC-CFG-002', 409, 'POST', '/api/config', { network: 'main' }]
  ] as const)('%s, %i: %s %s', async (code, http, method, path, body) => {
    expectProblem(await call(method, path, body), code, http)
  })

  it('SVC-REG-002, 409: a task for that name runs, and its task_id is in the body', async () => {
    const { body: begun } = await call('POST', '/api/vdf/register', { name: 'ab.chronym' })
    const again = await call('POST', '/api/vdf/register', { name: 'ab.chronym' })
    expectProblem(again, 'SVC-REG-002', 409)
    expect(again.body.task_id).toBe(begun.task_id)
    await call('DELETE', `/api/vdf/status/${begun.task_id}`)
  })

  it('SVC-ZON-004, 412: the zone changed since the ETag that If-Match names', async () => {
    const { headers } = await call('GET', `/api/zone/${NAME}`)
    const seen = { 'if-match': headers.get('etag')! }
    const zone = { records: { '@': [{ type: 'A', value: '192.0.2.2' }] } }
    expect(await call('POST', `/api/zone/${NAME}`, zone, seen)).toMatchObject({ status: 200, body: { serial: NUMBER } })
    expectProblem(await call('POST', `/api/zone/${NAME}`, zone, seen), 'SVC-ZON-004', 412)
  })

  it('SVC-REQ-006, 422: an Idempotency-Key used before with another body; the same body gets the first answer', async () => {
    const key = { 'idempotency-key': 'one' }
    const first = await call('POST', '/api/vdf/register', { name: 'once.chronym' }, key)
    expect(first.status).toBe(202)
    expect((await call('POST', '/api/vdf/register', { name: 'once.chronym' }, key)).body).toEqual(first.body)
    expectProblem(await call('POST', '/api/vdf/register', { name: 'twice.chronym' }, key), 'SVC-REQ-006', 422)
  })

  it('GET /errors/{code} explains each code with cause and cure', async () => {
    for (const code of ['SVC-REQ-001', 'SVC-RES-001', 'SVC-RES-002', 'SVC-ZON-001'])
      expect(await call('GET', `/errors/${code}`)).toMatchObject({ status: 200 })
  })
})

describe('Authentication', () => {
  it('has narrower tokens: SVC-AUT-002, 403, for one that lacks the scope', async () => {
    const { body: read } = await call('POST', '/api/tokens', { scopes: ['read'] })
    const as = (method: string, path: string, body?: unknown) =>
      world.request(method, path, { token: read.token as string, ...(body !== undefined && { body }) })
    expect((await as('GET', '/api/config')).status).toBe(200)
    expectProblem(await as('POST', '/api/config', { mode: 'full' }), 'SVC-AUT-002', 403)
    expectProblem(await as('POST', '/api/vdf/register', { name: 'unseen.chronym' }), 'SVC-AUT-002', 403)
    expectProblem(await as('POST', `/api/zone/${NAME}`, { records: {} }), 'SVC-AUT-002', 403)
  })
})

describe('VDF tasks', () => {
  it('show more: task_id, name, kind, phase, paused, speed, times and how often they were resumed', () => {
    expect(task).toMatchObject({
      ...{ task_id: STRING, name: NAME, kind: 'register', phase: 'done', paused: false, resumed: 0 },
      ...{ created_at: STRING, updated_at: STRING }
    })
    expect(
      ['iterations_per_second', 'eta_seconds', 'deadline', 'phase_progress'].filter((field) => !(field in task))
    ).toEqual([])
  })

  it('are listed, pause as running, and resume', async () => {
    const { body: begun, headers, status } = await call('POST', '/api/vdf/register', { name: 'ab.chronym' })
    expect([status, headers.get('location')]).toEqual([202, `/api/vdf/status/${begun.task_id}`])
    const ids = ((await call('GET', '/api/vdf/tasks')).body as Json[]).map(({ task_id }) => task_id as unknown)
    expect(ids).toContain(begun.task_id)
    const path = `/api/vdf/tasks/${begun.task_id}`
    expect((await call('POST', `${path}/pause`)).status).toBe(200)
    const shown = async (): Promise<Json> => (await call('GET', `/api/vdf/status/${begun.task_id}`)).body
    expect(await shown()).toMatchObject({ status: 'running', paused: true })
    expect((await call('POST', `${path}/resume`)).status).toBe(200)
    expect(await shown()).toMatchObject({ status: 'running', paused: false })
    const before = await eventually(shown, ({ progress }) => progress > 0)
    const after = await eventually(shown, ({ progress }) => progress > before.progress)
    expect(after).toMatchObject({ phase: 'evaluate', iterations_per_second: NUMBER, deadline: STRING })
    expect(after.progress).toBeLessThanOrEqual(after.iterations as number)
    await call('DELETE', `/api/vdf/status/${begun.task_id}`)
  })

  it('have an estimate before they begin', async () => {
    const { body } = await call('POST', '/api/vdf/estimate', { name: 'later.chronym' })
    expect(body).toMatchObject({ iterations: 20_000, seconds: NUMBER, lease_start: STRING, lease_end: STRING })
  })
})

describe('Zones, configuration, status', () => {
  it('a zone is saved with {success, serial} and published with {success, serial, stored_by, of}', async () => {
    const zone = { records: { '*': [{ type: 'TXT', value: '"any"', ttl: 30 }] } }
    expect((await call('POST', `/api/zone/${NAME}`, zone)).body).toMatchObject({ success: true, serial: NUMBER })
    expect((await call('POST', `/api/zone/${NAME}/publish`)).body).toMatchObject({
      ...{ success: true, serial: NUMBER, stored_by: 1, of: 1 }
    })
  })

  it.each([
    ['A', '192.0.2.1'],
    ['AAAA', '2001:db8::1'],
    ['TXT', '"text"'],
    ['MX', '10 mail'],
    ['SRV', '1 2 443 www'],
    ['CAA', '0 issue "ca.example"'],
    ['TLSA', `3 1 1 ${'ab'.repeat(32)}`],
    ['SSHFP', `4 2 ${'ab'.repeat(32)}`],
    ['SVCB', '1 . alpn=h2'],
    ['HTTPS', '1 . alpn=h2'],
    ['URI', '1 1 "https://alice.example/"'],
    ['PTR', 'www'],
    ['CNAME', 'www'],
    ['KID', 'did:chronym:zQmWvQxTqbG2Z9HPJgG57jjwR154cKhbtJenbyYTWkjgF3e']
  ])('a zone may have a record of type %s', async (type, value) => {
    const { status, body } = await call('POST', `/api/zone/${NAME}`, { records: { label: [{ type, value }] } })
    expect({ status, body }).toMatchObject({ status: 200 })
  })

  it('the configuration has data_dir, network, api, p2p, beacon, dns, vdf and log', async () => {
    const { body } = await call('GET', '/api/config')
    expect(body).toMatchObject({
      network: STRING,
      vdf: { threads: NUMBER, checkpoint_seconds: NUMBER, max_tasks: NUMBER, queue: NUMBER }
    })
    for (const section of ['api', 'p2p', 'beacon', 'dns', 'log']) expect(body[section]).toBeTypeOf('object')
    expect(JSON.stringify(body)).not.toContain(world.token)
  })

  it('network status has mode, peer_id, beacon {round, age_seconds} and records', async () => {
    const { body } = await call('GET', '/api/network-status')
    expect(body).toMatchObject({
      ...{ status: 'online', mode: 'full', peer_id: STRING, records: NUMBER },
      beacon: { round: NUMBER, age_seconds: NUMBER }
    })
  })
})

describe('Also served', () => {
  it.each(['/healthz', '/readyz', '/openapi.json', '/docs', '/', `/api/explain/${NAME}`])(
    'GET %s, to all',
    async (path) => {
      expect((await world.request('GET', path, { token: null })).status).toBe(200)
    }
  )

  it('GET /metrics, with a token', async () => {
    expect((await call('GET', '/metrics')).status).toBe(200)
    expectProblem(await world.request('GET', '/metrics', { token: null }), 'SVC-AUT-001', 401)
  })

  it('the OpenAPI document is 3.1', async () => {
    expect((await call('GET', '/openapi.json')).body.openapi).toMatch(/^3\.1\./)
  })
})
