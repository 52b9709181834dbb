import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { DID, ENDPOINTS, furnish, NAME, REVEAL, REVEAL_BODY } from './helpers/endpoints.ts'
import { createWorld, MAIN_TOKEN } from './helpers/world.ts'

const token = MAIN_TOKEN

describe('every endpoint', () => {
  it.each(ENDPOINTS)('$operation answers $status in the shape of its schema', async (each) => {
    const world = createWorld()
    const path = furnish(world, each)
    const [method = ''] = each.operation.split(' ')
    const response = await world.request(method, path, { token: each.token ? token : undefined, body: each.body })
    expect(response.status).toBe(each.status)
    expect(response.headers.get('X-Request-Id')).toMatch(/^[\w-]{36}$/)
    if (each.schema === undefined) await response.body?.cancel()
    else expect(v.safeParse(each.schema, await response.json()).issues).toBeUndefined()
  })

  it.each(ENDPOINTS.filter(({ operation }) => operation.startsWith('GET')))(
    'HEAD answers as $operation does, without a body',
    async (each) => {
      const world = createWorld()
      const response = await world.request('HEAD', furnish(world, each), { token: each.token ? token : undefined })
      expect(response.status).toBe(each.status)
      expect(await response.text()).toBe('')
      expect(world.tasks.openStreams).toBe(0)
    }
  )
})

describe('resolving', () => {
  it('shows the public key as an array and the other byte fields as base64', async () => {
    const world = createWorld()
    world.registry.reveals.set(NAME, REVEAL)
    const response = await world.request('GET', `/api/resolve/${NAME}`)
    expect(await response.json()).toEqual(REVEAL_BODY)
    expect(response.headers.get('X-Confidence')).toBe('settled')
  })

  it('answers from what is kept without asking', async () => {
    const world = createWorld()
    world.registry.kept = () => ({ reveal: REVEAL, confidence: 'thin' })
    const response = await world.request('GET', `/api/resolve/${NAME}`)
    expect([await response.json(), response.headers.get('X-Confidence')]).toEqual([REVEAL_BODY, 'thin'])
    expect(world.registry.calls).toEqual([])
  })

  it('shows null for a manifest that is not known', async () => {
    const world = createWorld()
    world.registry.identities.set(DID, { document: { id: DID, verificationMethod: [] }, manifest: null })
    expect(await (await world.request('GET', `/api/resolve-kid/${DID}`)).json()).toEqual({
      kid_document: { id: DID, verificationMethod: [] },
      manifest_document: null
    })
  })

  it('decodes a percent-encoded DID', async () => {
    const world = createWorld()
    world.registry.identities.set(DID, { document: { id: DID, verificationMethod: [] }, manifest: null })
    expect((await world.request('GET', `/api/resolve-kid/${encodeURIComponent(DID)}`)).status).toBe(200)
  })
})

describe('byte fields of a request', () => {
  const spellings = {
    'an array of integers': [...REVEAL.pubkey],
    'base64 with padding': Buffer.from(REVEAL.pubkey).toString('base64'),
    'base64 without padding': Buffer.from(REVEAL.pubkey).toString('base64').replace(/=+$/, ''),
    'URL-safe base64': Buffer.from(REVEAL.pubkey).toString('base64url')
  }

  it.each(Object.entries(spellings))('may be %s', async (_spelling, pubkey) => {
    const world = createWorld()
    const response = await world.request('POST', '/api/publish', {
      token,
      body: { reveal: { ...REVEAL_BODY, pubkey } }
    })
    expect(response.status).toBe(200)
    expect(world.registry.reveals.get(NAME)).toEqual(REVEAL)
  })

  const refused: [string, unknown, string][] = [
    ['a wrong length', [1, 2, 3], 'Expected 32 bytes'],
    ['an integer over 255', [256], 'Expected an integer from 0 to 255'],
    ['a negative integer', [-1], 'Expected an integer from 0 to 255'],
    ['a fraction', [1.5], 'Expected an integer from 0 to 255'],
    ['text that is no base64', '***', 'Expected base64 text'],
    ['base64 of both alphabets', '+_'.repeat(22), 'Expected base64 text'],
    ['base64 with bits left over', `${'A'.repeat(42)}B`, 'Expected base64 text'],
    ['a number', 5, 'Expected an array of integers from 0 to 255, or base64 text'],
    ['null', null, 'Expected an array of integers from 0 to 255, or base64 text']
  ]
  it.each(refused)('may not be %s', async (_what, hash, message) => {
    const response = await createWorld().request('POST', '/api/commit', {
      token,
      body: { name: NAME, commitment: { hash } }
    })
    expect(response.status).toBe(400)
    const { errors } = (await response.json()) as { errors: { path: string; message: string }[] }
    expect(errors[0]).toEqual({
      path: Array.isArray(hash) && hash.length === 1 ? 'commitment/hash/0' : 'commitment/hash',
      message
    })
  })
})

describe('tasks', () => {
  it('are started with 202 and the path of their status', async () => {
    const response = await createWorld().request('POST', '/api/vdf/register', { token, body: { name: NAME } })
    expect(response.status).toBe(202)
    expect(response.headers.get('Location')).toBe('/api/vdf/status/task-1')
    expect(await response.json()).toEqual({ task_id: 'task-1', message: `Registering ${NAME}: 1000000 squarings` })
  })

  it('that renew say what that gains and how many renewals are left', async () => {
    const world = createWorld()
    world.registry.owned.set(NAME, {
      name: NAME,
      state: 'live',
      lease_end: '2026-11-28T12:00:00.000Z',
      serial: 1,
      published_serial: 0,
      renewal: { state: 'scheduled', due: null, task_id: null, left: 64 },
      warnings: []
    })
    const response = await world.request('POST', '/api/vdf/renew', { token, body: { name: NAME } })
    expect(await response.json()).toEqual({
      task_id: 'task-1',
      gain_seconds: 90,
      left: 63,
      message: `Renewing ${NAME}: 1000000 squarings; it moves the end of the lease by 90 s, and 63 renewals are left after it`
    })
  })

  it('get the zone that came with the request, labels of all kinds included', async () => {
    const world = createWorld()
    const zone = { records: { constructor: [{ type: 'A', value: '192.0.2.1' }] } }
    await world.request('POST', '/api/vdf/register', { token, body: { name: NAME, zone } })
    expect(world.registry.calls.at(-1)).toEqual({ operation: 'register', arguments: [NAME, { zone }] })
  })

  it('name the running task when there is one already', async () => {
    const world = createWorld()
    await world.request('POST', '/api/vdf/register', { token, body: { name: NAME } })
    const response = await world.request('POST', '/api/vdf/register', { token, body: { name: NAME } })
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ code: 'SVC-REG-002', task_id: 'task-1' })
  })

  it('are cancelled, then cleared by DELETE, and then unknown', async () => {
    const world = createWorld()
    world.tasks.create({ name: NAME, kind: 'register' })
    const path = '/api/vdf/status/task-1'
    expect(await (await world.request('DELETE', path, { token })).json()).toEqual({ success: true })
    expect(await (await world.request('GET', path, { token })).json()).toMatchObject({
      status: 'failed',
      error: { code: 'SVC-TSK-003' }
    })
    expect((await world.request('DELETE', path, { token })).status).toBe(200)
    expect((await world.request('DELETE', path, { token })).status).toBe(404)
    expect((await world.request('GET', path, { token })).status).toBe(404)
  })

  it('are cancelled only while they run, where that is asked for', async () => {
    const world = createWorld()
    world.tasks.create({ name: NAME, kind: 'register' })
    const path = '/api/vdf/status/task-1'
    expect(await (await world.request('DELETE', `${path}?only=ended`, { token })).json()).toMatchObject({
      status: 400,
      code: 'SVC-REQ-001',
      errors: [{ path: 'only' }]
    })
    expect(await (await world.request('GET', path, { token })).json()).toMatchObject({ status: 'running' })
    expect((await world.request('DELETE', `${path}?only=running`, { token })).status).toBe(200)
    expect(await (await world.request('DELETE', `${path}?only=running`, { token })).json()).toMatchObject({
      status: 409,
      code: 'SVC-TSK-004'
    })
    expect((await world.request('GET', path, { token })).status).toBe(200)
  })

  it('pause and resume', async () => {
    const world = createWorld()
    world.tasks.create({ name: NAME, kind: 'register' })
    expect(await (await world.request('POST', '/api/vdf/tasks/task-1/pause', { token })).json()).toMatchObject({
      paused: true
    })
    expect(await (await world.request('POST', '/api/vdf/tasks/task-1/resume', { token })).json()).toMatchObject({
      paused: false,
      status: 'running'
    })
  })
})

describe('identities', () => {
  it.each([
    ['publish-kid', { authorized_kid: { id: DID, verificationMethod: [] } }, { id: DID, verificationMethod: [] }],
    [
      'publish-kid',
      { document: { id: DID, verificationMethod: [] } },
      { document: { id: DID, verificationMethod: [] } }
    ],
    ['publish-kid', { id: DID, verificationMethod: [] }, { id: DID, verificationMethod: [] }],
    ['publish-manifest', { manifest: { id: DID, capabilities: [] } }, { manifest: { id: DID, capabilities: [] } }],
    ['publish-manifest', { id: DID, capabilities: [] }, { id: DID, capabilities: [] }]
  ])('%s takes the wrapper and the bare object: %j', async (route, body, handed) => {
    const world = createWorld()
    world.registry.identities.set(DID, { document: { id: DID, verificationMethod: [] }, manifest: null })
    const response = await world.request('POST', `/api/${route}`, { token, body })
    expect(response.status).toBe(200)
    expect(world.registry.calls.at(-1)?.arguments).toEqual([handed])
  })

  it('are refused when the body is neither', async () => {
    const response = await createWorld().request('POST', '/api/publish-kid', {
      token,
      body: { authorized_kid: 'text' }
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      errors: [{ message: 'Expected {authorized_kid: {document, name?, name_signature?}}, or the document itself' }]
    })
  })
})

describe('operations', () => {
  it('reports not ready with 503 and the failing check', async () => {
    const world = createWorld()
    world.state.checks = [{ name: 'peers', ok: false, detail: 'no peer' }]
    const response = await world.request('GET', '/readyz')
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ ready: false, checks: [{ name: 'peers', ok: false, detail: 'no peer' }] })
  })

  it('counts requests by route, never by the path of a stranger', async () => {
    const world = createWorld()
    await world.request('GET', `/api/resolve/${NAME}`)
    await world.request('GET', '/wp-admin')
    const text = await (await world.request('GET', '/metrics', { token })).text()
    expect(text).toContain(
      'chronym_http_request_duration_seconds_count{method="GET",route="/api/resolve/:name",status="404"} 1'
    )
    expect(text).toContain('route="none",status="404"} 1')
    expect(text).not.toContain('wp-admin')
  })

  it.each([
    ['text/html,application/xhtml+xml', 'text/html; charset=utf-8'],
    ['application/json', 'application/json'],
    ['*/*', 'application/json']
  ])('explains an error to Accept: %s as %s', async (accept, type) => {
    const response = await createWorld().request('GET', '/errors/SVC-TSK-003', { headers: { Accept: accept } })
    expect(response.headers.get('Content-Type')).toBe(type)
    expect(await response.text()).toContain('SVC-TSK-003')
  })
})
