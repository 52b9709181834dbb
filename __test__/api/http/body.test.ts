import { describe, expect, it } from 'vitest'
import { MAX_BODY_BYTES } from '../../../src/api/http/body.ts'
import { createWorld, MAIN_TOKEN, type RequestOptions } from '../helpers/world.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const BODY = { name: 'alice.chronym' }

async function estimate(
  options: RequestOptions
): Promise<{ status: number; problem: { code?: string; detail?: string; errors?: unknown } }> {
  const response = await createWorld().request('POST', '/api/vdf/estimate', { token: MAIN_TOKEN, ...options })
  return { status: response.status, problem: (await response.json()) as object }
}

/** A body in pieces, without a declared length. */
function chunked(length: number): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      if (sent >= length) {
        controller.close()
        return
      }
      controller.enqueue(new Uint8Array(16_384).fill(0x20))
      sent += 16_384
    }
  })
}

describe('a request body', () => {
  it('that is compressed is refused as such, not as bad UTF-8', async () => {
    const { status, problem } = await estimate({
      raw: JSON.stringify(BODY),
      headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' }
    })
    expect(status).toBe(415)
    expect(problem).toMatchObject({ code: 'SVC-REQ-003', detail: 'The body is encoded (gzip); send it as plain JSON.' })
    expect(
      (await estimate({ raw: JSON.stringify(BODY), headers: { ...JSON_TYPE, 'Content-Encoding': 'identity' } })).status
    ).toBe(200)
  })

  const malformed: [string, string, string][] = [
    ['is cut off', '{"name": "a', 'The body is not JSON.'],
    ['is empty', '', 'The body is not JSON.'],
    ['has a trailing comma', '{"name": "a",}', 'The body is not JSON.'],
    ['names a member twice', '{"name": "a", "name": "b"}', 'The member name "name" occurs twice in one object.'],
    [
      'names a member twice in two spellings',
      '{"name": "a", "n\\u0061me": "b"}',
      'The member name "name" occurs twice in one object.'
    ],
    [
      'names a member twice deep inside',
      '{"name": "a", "x": [{"y": {"z": 1, "z" : 2}}]}',
      'The member name "z" occurs twice in one object.'
    ],
    ['names __proto__', '{"name": "a", "__proto__": {}}', 'The member name __proto__ is not accepted.'],
    ['nests too deep', `{"name": ${'['.repeat(40)}${']'.repeat(40)}}`, 'The body is nested deeper than 32 levels.'],
    ['nests absurdly deep', '['.repeat(100_000), 'The body is not JSON.']
  ]
  it.each(malformed)('that %s is refused', async (_what, raw, detail) => {
    const { status, problem } = await estimate({ raw, headers: JSON_TYPE })
    expect(status).toBe(400)
    expect(problem).toMatchObject({ code: 'SVC-REQ-001', detail })
  })

  it('that is not UTF-8 is refused', async () => {
    const raw = new Uint8Array([...new TextEncoder().encode('{"name": "'), 0xff, ...new TextEncoder().encode('"}')])
    expect((await estimate({ raw, headers: JSON_TYPE })).problem).toMatchObject({
      code: 'SVC-REQ-001',
      detail: 'The body is not UTF-8.'
    })
  })

  const accepted: [string, string][] = [
    [
      'repeats a name in different objects',
      '{"name": "alice.chronym", "a": {"name": 1}, "b": [{"name": 2}, {"name": 3}]}'
    ],
    ['repeats text as values', '{"name": "alice.chronym", "a": "name", "b": "name", "c": ["name", "name"]}'],
    ['has quotes, colons and braces in strings', '{"name": "alice.chronym", "a": "\\"name\\": {[", "b": "\\\\"}'],
    ['has members nobody asked for', '{"name": "alice.chronym", "unknown": true}']
  ]
  it.each(accepted)('that %s is accepted', async (_what, raw) => {
    expect((await estimate({ raw, headers: JSON_TYPE })).status).toBe(200)
  })

  const wrongTypes: [string, unknown, unknown][] = [
    ['an array', [], [{ path: 'name', message: 'Required' }]],
    ['text', 'alice.chronym', [{ path: '', message: 'Expected Object' }]],
    ['null', null, [{ path: '', message: 'Expected Object' }]],
    ['an object without the name', {}, [{ path: 'name', message: 'Required' }]],
    ['an object with a number for the name', { name: 5 }, [{ path: 'name', message: 'Expected string' }]],
    ['an object with an empty name', { name: '' }, [{ path: 'name', message: 'Expected a name' }]],
    [
      'an object with an endless name',
      { name: 'a'.repeat(300) },
      [{ path: 'name', message: 'Expected at most 255 characters' }]
    ]
  ]
  it.each(wrongTypes)('that is %s names the field at fault', async (_what, body, errors) => {
    expect((await estimate({ body })).problem).toMatchObject({ code: 'SVC-REQ-001', errors })
  })

  it('never comes back in the error', async () => {
    const { problem } = await estimate({ body: { name: { secret: 'hunter2' } } })
    expect(JSON.stringify(problem)).not.toContain('hunter2')
  })

  it('has at most twenty faults listed, each with a JSON pointer', async () => {
    const records = { 'a/b': Array.from({ length: 50 }, () => ({ type: 1 })) }
    const response = await createWorld().request('POST', '/api/zone/alice.chronym', {
      token: MAIN_TOKEN,
      body: { records }
    })
    const { errors } = (await response.json()) as { errors: { path: string }[] }
    expect(errors).toHaveLength(20)
    expect(errors[0]?.path).toBe('records/a~1b/0/type')
  })
})

describe('the size of a body', () => {
  const padded = (length: number) => JSON.stringify(BODY).padEnd(length)

  it('may be 256 KiB exactly', async () => {
    expect((await estimate({ raw: padded(MAX_BODY_BYTES), headers: JSON_TYPE })).status).toBe(200)
  })

  it('may not be one byte more', async () => {
    expect((await estimate({ raw: padded(MAX_BODY_BYTES + 1), headers: JSON_TYPE })).problem).toMatchObject({
      code: 'SVC-REQ-002'
    })
  })

  it('is refused by its declared length alone, on routes that read no body too', async () => {
    const response = await createWorld().request('POST', '/api/tokens/rotate', {
      token: MAIN_TOKEN,
      headers: { 'Content-Length': '300000' }
    })
    expect(response.status).toBe(413)
  })

  it('is counted while a chunked body is read', async () => {
    const endless = chunked(Infinity)
    expect((await estimate({ raw: endless, headers: JSON_TYPE })).problem).toMatchObject({ code: 'SVC-REQ-002' })
  })

  it('does not matter before the token is known', async () => {
    const response = await createWorld().request('POST', '/api/vdf/estimate', {
      raw: chunked(Infinity),
      headers: JSON_TYPE
    })
    expect(response.status).toBe(401)
  })
})

describe('the type of a body', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json;charset="UTF-8"'
  ])('may be %s', async (type) => {
    expect((await estimate({ raw: JSON.stringify(BODY), headers: { 'Content-Type': type } })).status).toBe(200)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonp',
    'multipart/form-data; boundary=x'
  ])('may not be %s', async (type) => {
    expect((await estimate({ raw: JSON.stringify(BODY), headers: { 'Content-Type': type } })).problem).toMatchObject({
      code: 'SVC-REQ-003'
    })
  })

  it('is not asked of a request without a body: the body is', async () => {
    expect((await estimate({})).problem).toMatchObject({
      code: 'SVC-REQ-001',
      detail: 'The request has no body; a JSON object is needed.'
    })
  })
})

describe('a request id', () => {
  it('is taken from the request when it is sane', async () => {
    expect(
      (await createWorld().request('GET', '/healthz', { headers: { 'X-Request-Id': 'trace_7-a=' } })).headers.get(
        'X-Request-Id'
      )
    ).toBe('trace_7-a=')
  })

  it.each(['a b', 'x'.repeat(65), '<script>', 'ä'])('is made when the one sent is "%s"', async (id) => {
    expect(
      (await createWorld().request('GET', '/healthz', { headers: { 'X-Request-Id': id } })).headers.get('X-Request-Id')
    ).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('appears in the log with every error', async () => {
    const world = createWorld()
    await world.request('GET', '/nothing', { headers: { 'X-Request-Id': 'req-9' } })
    expect(world.logged).toContainEqual(
      expect.objectContaining({ request_id: 'req-9', code: 'SVC-REQ-004', level: 30 })
    )
  })
})

describe('a path', () => {
  it.each([
    '/nothing',
    '/api',
    '/api/resolve',
    '/api/resolve/',
    '/api/resolve/a/b',
    '/api/network-status/',
    '/assets/nothing.js',
    '/assets/../index.ts'
  ])('%s that is not served is SVC-REQ-004', async (path) => {
    const response = await createWorld().request('GET', path)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'SVC-REQ-004' })
  })

  const methods: [string, string, string][] = [
    ['POST', '/api/network-status', 'GET, HEAD'],
    ['GET', '/api/commit', 'POST'],
    ['PUT', '/api/vdf/status/task-1', 'DELETE, GET, HEAD'],
    ['PATCH', '/session', 'DELETE, GET, HEAD, POST'],
    ['OPTIONS', '/healthz', 'GET, HEAD'],
    ['DELETE', '/', 'GET, HEAD']
  ]
  it.each(methods)('%s %s is SVC-REQ-007 with Allow: %s', async (method, path, allow) => {
    const response = await createWorld().request(method, path)
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe(allow)
    expect(await response.json()).toMatchObject({ code: 'SVC-REQ-007' })
  })
})
