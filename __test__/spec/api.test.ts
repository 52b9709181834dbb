/**
 * The interface that users were promised, paragraph by paragraph. A number such as 4.8 is an endpoint of the promise:
 * section 4, row 8. No change may take a field, a path, a code or a rule away.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Claim } from './by-hand.ts'
import { chronym, eventually, expectProblem, type Json, register, startWorld, type World } from './daemon.ts'

const NAME = 'alice.chronym'
const RECORDS = {
  '@': [
    { type: 'A', value: '192.0.2.1' },
    { type: 'TXT', value: '"hello"' }
  ],
  www: [{ type: 'CNAME', value: '@' }]
}
const STRING: unknown = expect.any(String)
const INTEGER: unknown = expect.toSatisfy((value: unknown) => Number.isSafeInteger(value), 'an integer')
const BASE64: unknown = expect.stringMatching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
const BYTES: unknown = expect.toSatisfy(
  (value: unknown) => Array.isArray(value) && value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256),
  'an array of bytes'
)

let world: World
let task: Json

const call = (method: string, path: string, body?: unknown, token?: string | null) =>
  world.request(method, path, { ...(body !== undefined && { body }), ...(token !== undefined && { token }) })
const asPublic = (path: string) => call('GET', path, undefined, null)

beforeAll(async () => {
  world = await startWorld()
  task = await register(world, NAME, { zone: { records: RECORDS } })
})
afterAll(() => world.end())

describe('2. Resources and their fields', () => {
  it('a Reveal has name, pubkey, drand_pulse, iterations, vdf_proof, signature and payload', async () => {
    const { status, body } = await asPublic(`/api/resolve/${NAME}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      name: NAME,
      pubkey: BYTES,
      drand_pulse: INTEGER,
      iterations: 20_000,
      vdf_proof: BASE64,
      signature: BASE64,
      payload: BASE64
    })
    expect([body.pubkey.length, Buffer.from(body.signature as string, 'base64').length]).toEqual([32, 64])
    expect(JSON.parse(Buffer.from(body.payload as string, 'base64').toString())).toMatchObject({ records: RECORDS })
  })

  it('a DNS zone is an object with records: labels to arrays of {type, value}, @ the apex', async () => {
    const { body } = await asPublic(`/api/zone/${NAME}`)
    expect(body.records).toEqual(RECORDS)
  })

  it('an identity resolves to kid_document {id, verificationMethod} and manifest_document {capabilities}', async () => {
    const { body: made } = await call('POST', '/api/kid', {})
    const { status, body } = await asPublic(`/api/resolve-kid/${made.did}`)
    expect(status).toBe(200)
    expect(made.did).toMatch(/^did:chronym:[^:]+$/)
    expect(body.kid_document).toMatchObject({ id: made.did, verificationMethod: expect.any(Array) as unknown })
    // An object also where the identity has no manifest.
    expect(body.manifest_document.capabilities).toEqual([])
  })

  it('a configuration has mode and data_dir', async () => {
    const { body } = await call('GET', '/api/config')
    expect(body).toMatchObject({ mode: expect.stringMatching(/^(?:auto|full|light|offline)$/), data_dir: STRING })
    expect(body.data_dir).toBe(`${world.directory}/data`)
  })

  it('a network status has status and peers', async () => {
    const { body } = await asPublic('/api/network-status')
    expect(body).toMatchObject({ status: expect.stringMatching(/^(?:online|connecting|offline)$/), peers: INTEGER })
  })

  it('a VDF task has status, iterations, progress and error, null without an error', () => {
    expect(task).toMatchObject({ status: 'completed', iterations: 20_000, progress: 20_000, error: null })
  })
})

describe('3. States and transitions', () => {
  const start = async (): Promise<string> =>
    (await call('POST', '/api/vdf/register', { name: 'ab.chronym' })).body.task_id as string
  const status = async (id: string): Promise<Json> => (await call('GET', `/api/vdf/status/${id}`)).body

  it('a task runs; deletion cancels it, and it has failed with its error set; deletion then clears its state', async () => {
    const id = await start()
    expect(await status(id)).toMatchObject({
      status: 'running',
      error: null,
      iterations: 200_000_000,
      progress: INTEGER
    })
    expect(await call('DELETE', `/api/vdf/status/${id}`)).toMatchObject({ status: 200, body: { success: true } })
    expect(
      await eventually(
        () => status(id),
        (each) => each.status !== 'running'
      )
    ).toMatchObject({
      status: 'failed',
      error: { code: 'SVC-TSK-003', message: STRING }
    })
    expect(await call('DELETE', `/api/vdf/status/${id}`)).toMatchObject({ status: 200, body: { success: true } })
    expectProblem(await call('GET', `/api/vdf/status/${id}`), 'SVC-TSK-001', 404)
  })

  it('deletion clears the state of a completed task', async () => {
    const { task_id: id } = await register(world, 'cleared.chronym')
    expect(await call('DELETE', `/api/vdf/status/${id}`)).toMatchObject({ status: 200, body: { success: true } })
    expectProblem(await call('DELETE', `/api/vdf/status/${id}`), 'SVC-TSK-001', 404)
  })
})

describe('4. Public endpoints', () => {
  it('GET /api/resolve/{name}: SVC-RES-002 for a name that is not registered', async () => {
    expectProblem(await asPublic('/api/resolve/nobody.chronym'), 'SVC-RES-002', 404)
  })

  it('GET /api/resolve-kid/{did}: SVC-RES-002 for an identity that is not found', async () => {
    const did = 'did:chronym:zQmWvQxTqbG2Z9HPJgG57jjwR154cKhbtJenbyYTWkjgF3e'
    expectProblem(await asPublic(`/api/resolve-kid/${did}`), 'SVC-RES-002', 404)
  })

  it('GET /api/zone/{name}: SVC-RES-002 for a name that is not registered', async () => {
    expectProblem(await asPublic('/api/zone/nobody.chronym'), 'SVC-RES-002', 404)
  })
})

describe('4. Authenticated endpoints', () => {
  it('1 and 2, POST /api/commit and /api/publish: a registration by hand; publish also updates the data of a name', async () => {
    const claim = new Claim(world.profile, 'by-hand.chronym')
    const hash = [...claim.commitment]
    const commit = await call('POST', '/api/commit', { name: 'by-hand.chronym', commitment: { hash } })
    expect(commit).toMatchObject({ status: 200, body: { success: true } })
    const round = commit.body.pulse_round as number
    claim.compute(round, await world.pulse(round))

    const first = claim.reveal(Buffer.from('{"records":{"@":[{"type":"A","value":"192.0.2.9"}]},"serial":1}'))
    const arrays = Object.fromEntries(
      ['vdf_proof', 'signature', 'payload'].map((field) => [field, [...first[field as 'payload']]])
    )
    expect(await call('POST', '/api/publish', { reveal: { ...first, ...arrays } })).toMatchObject({
      status: 200,
      body: { success: true }
    })
    expect((await asPublic('/api/zone/by-hand.chronym')).body.records).toEqual({
      '@': [{ type: 'A', value: '192.0.2.9' }]
    })

    // Text is taken too: base64, of either alphabet.
    const second = claim.reveal(Buffer.from('{"records":"none","serial":2}'))
    const texts = Object.fromEntries(
      ['vdf_proof', 'signature', 'payload'].map((field) => [field, second[field as 'payload'].toString('base64url')])
    )
    expect(await call('POST', '/api/publish', { reveal: { ...second, ...texts } })).toMatchObject({
      status: 200,
      body: { success: true }
    })
    // GET /api/zone/{name}: the payload of that Reveal is no zone.
    expectProblem(await asPublic('/api/zone/by-hand.chronym'), 'SVC-ZON-001', 422)
  })

  it('1, POST /api/commit: SVC-REQ-001 for an invalid request format', async () => {
    for (const body of [
      {},
      { name: NAME },
      { name: NAME, commitment: { hash: [256] } },
      { name: 7, commitment: {} },
      []
    ])
      expectProblem(await call('POST', '/api/commit', body), 'SVC-REQ-001', 400)
  })

  it('3, POST /api/publish-kid: publishes a signed KID document, as the interface shows it', async () => {
    const { body: made } = await call('POST', '/api/kid', {})
    const { body: shown } = await asPublic(`/api/resolve-kid/${made.did}`)
    const again = await call('POST', '/api/publish-kid', { authorized_kid: { document: shown.kid_document } })
    expect(again).toMatchObject({ status: 200, body: { success: true, did: made.did } })
    expectProblem(await call('POST', '/api/publish-kid', { authorized_kid: { id: made.did } }), 'SVC-KID-001', 422)
  })

  it('4, POST /api/publish-manifest: publishes a capability manifest of a KID', async () => {
    const { body: made } = await call('POST', '/api/kid', {})
    const did = made.did as string
    const capability = 'chat message/send https https://alice.example/chat'
    chronym('manifest', 'publish', '--did', did, '--capability', capability, ...world.options)
    const { manifest_document: manifest } = (await asPublic(`/api/resolve-kid/${did}`)).body
    expect(manifest.capabilities).toEqual([
      { id: 'chat', type: 'message/send', protocol: 'https', endpoint: 'https://alice.example/chat' }
    ])
    expect(await call('POST', '/api/publish-manifest', { authorized_manifest: { manifest } })).toMatchObject({
      status: 200,
      body: { success: true, did, version: 1 }
    })
  })

  it('4, POST /api/publish-manifest: refuses a manifest that no key of its KID signed', async () => {
    const { body: made } = await call('POST', '/api/kid', {})
    const authorized_manifest = { manifest: { id: made.did, capabilities: [] } }
    expectProblem(await call('POST', '/api/publish-manifest', { authorized_manifest }), 'SVC-KID-001', 422)
  })

  it('5 and 6, GET and POST /api/config: a change of mode holds at once, and the answer is the configuration', async () => {
    const changed = await call('POST', '/api/config', { mode: 'light' })
    expect(changed).toMatchObject({ status: 200, body: { mode: 'light', data_dir: `${world.directory}/data` } })
    expect((await asPublic('/api/network-status')).body.mode).toBe('light')
    expect(await call('POST', '/api/config', { mode: 'full' })).toMatchObject({ status: 200, body: { mode: 'full' } })
    expect((await call('GET', '/api/config')).body.mode).toBe('full')
  })

  it('7, GET /api/owned-names: an array of strings, the names that this daemon owns', async () => {
    const { status, body } = await call('GET', '/api/owned-names')
    expect(status).toBe(200)
    expect(body).toContain(NAME)
    // Another key owns it.
    expect(body).not.toContain('by-hand.chronym')
  })

  it('8, POST /api/vdf/register: {task_id, message}, and the task does commit, wait and reveal', async () => {
    const { status, body } = await call('POST', '/api/vdf/register', { name: 'eight.chronym' })
    expect({ status, body }).toEqual({
      status: 202,
      body: expect.objectContaining({ task_id: STRING, message: STRING })
    })
    await eventually(
      () => call('GET', `/api/vdf/status/${body.task_id}`),
      ({ body: each }) => each.status === 'completed'
    )
    expect((await asPublic('/api/resolve/eight.chronym')).status).toBe(200)
  })

  it('9, POST /api/vdf/renew: a task renews an existing name', async () => {
    const { drand_pulse: before } = (await asPublic(`/api/resolve/${NAME}`)).body
    const { status, body } = await call('POST', '/api/vdf/renew', { name: NAME })
    expect({ status, body }).toEqual({
      status: 202,
      body: expect.objectContaining({ task_id: STRING, message: STRING })
    })
    const { body: ended } = await eventually(
      () => call('GET', `/api/vdf/status/${body.task_id}`),
      ({ body: each }) => each.status !== 'running'
    )
    expect(ended).toMatchObject({ status: 'completed', error: null })
    expect((await asPublic(`/api/resolve/${NAME}`)).body.drand_pulse).toBeGreaterThan(before as number)
  })

  it('12, GET /api/zone/{name} with a token: the local zone of an owned name before it is published', async () => {
    const records = { '@': [{ type: 'A', value: '192.0.2.12' }] }
    expect(await call('POST', `/api/zone/${NAME}`, { records })).toMatchObject({ status: 200, body: { success: true } })
    const local = await call('GET', `/api/zone/${NAME}`)
    expect([local.headers.get('x-zone-source'), local.body.records]).toEqual(['local', records])
    // 13: saving publishes nothing.
    const shown = await asPublic(`/api/zone/${NAME}`)
    expect([shown.headers.get('x-zone-source'), shown.body.records]).toEqual(['network', RECORDS])
  })

  it('14, POST /api/zone/{name}/publish: signs the local zone and makes it live', async () => {
    const records = { '@': [{ type: 'A', value: '192.0.2.14' }] }
    await call('POST', `/api/zone/${NAME}`, { records })
    expect(await call('POST', `/api/zone/${NAME}/publish`)).toMatchObject({ status: 200, body: { success: true } })
    expect((await asPublic(`/api/zone/${NAME}`)).body.records).toEqual(records)
  })

  it('14, POST /api/zone/{name}/publish: publishes the zone of a name that was never edited', async () => {
    await register(world, 'unedited.chronym')
    const published = await call('POST', '/api/zone/unedited.chronym/publish')
    expect(published).toMatchObject({ status: 200, body: { success: true } })
    expect((await asPublic('/api/zone/unedited.chronym')).body.records).toEqual({})
  })
})

/** Endpoints 1 to 14, each with a body that would do something. Endpoint 12 is public without a header. */
const AUTHENTICATED: readonly { method: string; path: string; body?: object }[] = [
  { method: 'POST', path: '/api/commit', body: { name: NAME, commitment: { hash: [...new Uint8Array(32)] } } },
  { method: 'POST', path: '/api/publish', body: { reveal: {} } },
  { method: 'POST', path: '/api/publish-kid', body: { authorized_kid: {} } },
  { method: 'POST', path: '/api/publish-manifest', body: { authorized_manifest: {} } },
  { method: 'GET', path: '/api/config' },
  { method: 'POST', path: '/api/config', body: { mode: 'offline' } },
  { method: 'GET', path: '/api/owned-names' },
  { method: 'POST', path: '/api/vdf/register', body: { name: 'unseen.chronym' } },
  { method: 'POST', path: '/api/vdf/renew', body: { name: NAME } },
  { method: 'GET', path: '/api/vdf/status/some-task' },
  { method: 'DELETE', path: '/api/vdf/status/some-task' },
  { method: 'POST', path: `/api/zone/${NAME}`, body: { records: {} } },
  { method: 'POST', path: `/api/zone/${NAME}/publish` }
]

describe('5. Authentication', () => {
  const PUBLIC = ['/api/network-status', `/api/resolve/${NAME}`, `/api/zone/${NAME}`]

  it.each(PUBLIC)('1: GET %s needs none', async (path) => {
    expect((await asPublic(path)).status).toBe(200)
  })

  it.each(AUTHENTICATED)('2: $method $path requires Authorization: Bearer', async ({ method, path, body }) => {
    // A minute has room for some twenty tokens that are wrong.
    for (const token of [null, 'wrong']) {
      const answer = await call(method, path, body, token)
      expectProblem(answer, 'SVC-AUT-001', 401)
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
  })

  it('2: the header has the scheme Bearer', async () => {
    const authorization = `Basic ${Buffer.from(`:${world.token}`).toString('base64')}`
    const answer = await world.request('GET', '/api/owned-names', { token: null, headers: { authorization } })
    expectProblem(answer, 'SVC-AUT-001', 401)
  })

  it('2: a local zone is not read without the header', async () => {
    await call('POST', `/api/zone/${NAME}`, { records: { secret: [{ type: 'TXT', value: 'draft' }] } })
    expect(JSON.stringify((await asPublic(`/api/zone/${NAME}`)).body)).not.toContain('secret')
  })

  it.each(PUBLIC)('a header that does not verify is refused on the public path %s too', async (path) => {
    expectProblem(await call('GET', path, undefined, 'wrong'), 'SVC-AUT-001', 401)
  })
})

describe('7. Errors: SVC-RES-001, network offline', () => {
  beforeAll(() => call('POST', '/api/config', { mode: 'offline' }))
  afterAll(() => call('POST', '/api/config', { mode: 'full' }))

  it.each([
    '/api/resolve/nobody.chronym',
    '/api/resolve-kid/did:chronym:zQmWvQxTqbG2Z9HPJgG57jjwR154cKhbtJenbyYTWkjgF3e',
    '/api/zone/nobody.chronym'
  ])('GET %s', async (path) => {
    const answer = await asPublic(path)
    expectProblem(answer, 'SVC-RES-001', 503)
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  })

  it('network status says offline', async () => {
    expect((await asPublic('/api/network-status')).body).toMatchObject({ status: 'offline', peers: 0 })
  })
})
