/** A daemon with fixed answers, and one command line at a time that asks it. */
import { NO_FARM } from '../../src/views/farm.ts'
import { Hono, type Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import { afterEach, beforeAll } from 'vitest'
import { proofKey, proofOf } from '../../src/api/daemon-proof.ts'
import { ERROR_TABLE, type ErrorCode } from '../../src/error-table.ts'
import type { Explanation } from '../../src/views/explanation.ts'
import type { PinView } from '../../src/views/pin.ts'
import type { DnsView } from '../../src/views/dns.ts'
import { explanation } from '../api/helpers/explanation.ts'
import { pinOf, REVEAL, REVEAL_BODY } from '../api/helpers/records.ts'
import { taskView } from '../views/task.ts'
import { cli, listen } from './harness.ts'

export const TASK = taskView({
  task_id: 't1',
  iterations: 1000,
  progress: 500,
  iterations_per_second: 250,
  eta_seconds: 2
})
export const DONE = taskView({ ...TASK, status: 'completed', phase: 'done', progress: 1000 })
export const FAILED = taskView({
  ...TASK,
  status: 'failed',
  error: { code: 'SVC-REG-001', message: 'somebody was faster' }
})

export const OWNED = {
  name: 'alice.chronym',
  state: 'live',
  check_code: '7kq2mx0123456789abcdefghjk',
  coded_name: 'alice--7kq2mx.chronym',
  lease_end: '2000-01-08T00:00:00.000Z',
  serial: 2,
  published_serial: 1,
  records: 1,
  renewal: { state: 'failed', due: '2000-01-07T00:00:00.000Z', task_id: null, left: 64 },
  warnings: [{ code: 'renewal-failed', message: 'Its renewal failed \u001b[2J' }]
}
export const WELL = {
  ...OWNED,
  name: 'bob.chronym',
  published_serial: 2,
  records: 1,
  renewal: { ...OWNED.renewal, state: 'scheduled' },
  warnings: []
}
export const EXPLANATION: Explanation = explanation({
  verdict: 'alice.chronym belongs to this daemon: 1 of 1 votes; its lease runs until 2000-01-08T00:00:00.000Z.',
  rule: 'majority',
  rule_text: 'The majority wins.',
  state: 'settled',
  lease: { start: '2000-01-01T00:00:00.000Z', end: '2000-01-08T00:00:00.000Z', grace_end: '2000-01-09T00:00:00.000Z' },
  owner: 'ab'.repeat(32),
  answers: [
    {
      peer: 'me',
      distance: 0.1,
      prefix: null,
      self: true,
      state: 'settled',
      claim_id: 'cd'.repeat(32),
      serial: 3,
      owner: 'ab'.repeat(32),
      vote: true
    }
  ],
  notes: ['1 of 2 asked have answered \u001b[2J'],
  resolves: 'settled',
  error: null
})
const PIN_LIST = {
  source: 'https://pins.example.org/list.txt',
  key: 'z6MkOne',
  made_at: '2000-01-01T00:00:00.000Z',
  fetched_at: '2000-01-02T00:00:00.000Z',
  entries: 1,
  failure: null,
  rolled_back_to: null,
  equivocation: null
}
const PIN_LISTS = [
  PIN_LIST,
  { ...PIN_LIST, source: '/b', failure: 'gone \u001b[2J', rolled_back_to: '1999-01-01T00:00:00.000Z' },
  { ...PIN_LIST, source: '/c', equivocation: [{ name: 'alice.chronym', codes: ['7kq2mx4q8r7k', null] }] }
]

export const PINS: readonly PinView[] = [
  pinOf('alice.chronym'),
  { ...pinOf('bob.chronym'), rival: '02'.repeat(32), contested_until: '2026-11-22T12:00:00.000Z' },
  { ...pinOf('carol.chronym'), state: 'firm', second_look: null, firm_since: '2026-11-22T18:00:00.000Z' }
]
export const STATUS = {
  status: 'online',
  peers: 2,
  mode: 'full',
  auto: null,
  peer_id: 'me',
  connecting: null as string | null,
  addresses: [
    {
      address: '/ip4/192.0.2.1/tcp/7469/p2p/me',
      state: 'unconfirmed',
      confirmed_by: [],
      message: 'No peer has dialled it yet \u001b[2J'
    },
    { address: '/ip4/127.0.0.1/tcp/7469/p2p/me', state: 'announced', confirmed_by: ['a', 'b'], message: null }
  ],
  network: 'local',
  beacon: { round: 9, age_seconds: 1, message: null },
  records: 3,
  alone: false,
  diversity: null
}

/** Of a young network of one's own. */
export const YOUNG = {
  ...STATUS,
  diversity: {
    peers: 2,
    prefixes: 1,
    wide_prefixes: 1,
    needed: { answer: 11, settle: 8, adopt: 5 },
    missing: { peers: 9, prefixes: 5, wide_prefixes: 2 },
    enough: false,
    message: '2 of the 11 diverse peers that an answer needs \u001b[2J'
  }
}
export const GROWN = {
  ...YOUNG,
  diversity: { ...YOUNG.diversity, peers: 11, prefixes: 6, enough: true, message: null }
}

const UNLOCKED = { state: 'unlocked', sealed: false, kept_elsewhere: true, waiting: [] as object[] }
/** What the daemon shows, for a test to change: the next one begins with this again. */
export const shown = {
  farm: NO_FARM,
  seed: UNLOCKED,
  status: STATUS as Record<string, unknown>,
  dns: undefined as DnsView | undefined,
  names: [OWNED, WELL] as object[],
  /** Of the configuration; undefined: a stranger asks, who may not see it. */
  fields: undefined as object[] | undefined,
  /** Undefined: one that is connected, and one that is not. */
  peers: undefined as object[] | undefined,
  checks: [] as { name: string; ok: boolean; detail: string }[],
  /** What becomes of each text in an answer. */
  text: undefined as ((text: string) => string) | undefined
}
const atFirst = { ...shown }
afterEach(() => void Object.assign(shown, atFirst))

/** A problem document; of an unknown code, with the status of a name that nobody has. */
function problem(c: Context, code: ErrorCode, detail: string): Response {
  const { status, title } = ERROR_TABLE[Object.hasOwn(ERROR_TABLE, code) ? code : 'SVC-RES-002']
  const body = { type: `/errors/${code}`, title, status, detail, code, request_id: 'r7' }
  return c.newResponse(JSON.stringify(body), (status ?? 500) as 500, { 'Content-Type': 'application/problem+json' })
}

/** Answers as the daemon does: codes on demand, the rest fixed. */
function fakeDaemon() {
  const requests: { method: string; path: string; query: string; headers: Headers; body: unknown }[] = []
  const app = new Hono()
  app.use(async (c, next) => {
    requests.push({
      method: c.req.method,
      path: c.req.path,
      query: new URL(c.req.url).search.slice(1),
      headers: c.req.raw.headers,
      body: c.req.method === 'POST' ? await c.req.json().catch(() => undefined) : undefined
    })
    await next()
    const { text } = shown
    if (text === undefined || c.res.headers.get('Content-Type')?.includes('json') !== true) return
    const { status, headers } = c.res
    const body = JSON.parse(await c.res.text(), (_, value: unknown) =>
      typeof value === 'string' ? text(value) : value
    )
    c.res = new Response(JSON.stringify(body), { status, headers })
  })
  app.get('/api/resolve/:code', (c) => {
    if (c.req.param('code') === REVEAL.name)
      return c.json({ ...REVEAL_BODY, source: 'held', asked_at: '2000-01-02T00:00:00.000Z' })
    // A code in the place of a name, spelt as one.
    const code = c.req.param('code').replace('.chronym', '').toUpperCase() as ErrorCode
    return problem(c, code, `detail of ${code}`)
  })
  app.get('/api/resolve-kid/:did', (c) =>
    c.json({
      kid_document: { id: c.req.param('did'), verificationMethod: [] },
      manifest_document: { capabilities: [] },
      manifest_answered: !c.req.param('did').endsWith('Silent')
    })
  )
  app.get('/api/explain/:name', (c) => (c.req.param('name') === 'html' ? c.text('<html>', 200) : c.json(EXPLANATION)))
  app.get('/readyz', (c) => c.json({ ready: true, checks: shown.checks }))
  app.get('/api/network-status', (c) => c.json(shown.status))
  const peer = (id: string) => ({ peer: id, prefix: null, distance: 0.5, in_table: false, connection: null })
  const near = {
    ...peer('a'),
    prefix: '192.0.2.0/24',
    in_table: true,
    connection: { direction: 'inbound', since: '2000-01-01T00:00:00.000Z' }
  }
  app.get('/api/peers', (c) => c.json(shown.peers ?? [near, peer('b')]))
  app.post('/api/peers', async (c) => {
    const { address } = await c.req.json<{ address: string }>()
    if (address !== 'nobody') return c.json(near)
    return problem(c, 'SVC-NET-001', 'nobody there')
  })
  app.get('/api/pins', (c) => c.json(PINS.filter(({ name }) => name > (c.req.query('after') ?? ''))))
  app.post('/api/pins', async (c) => {
    const { codes } = await c.req.json<{ codes: string[] }>()
    return c.json({ pinned: codes.map((each) => each.split(/[ .]|--/, 1)[0]!), known: 0 })
  })
  app.get('/api/pin-lists', (c) => c.json({ agree: 2, lists: PIN_LISTS }))
  app.post('/api/pin-lists', (c) => c.json({ agree: 2, lists: PIN_LISTS.slice(0, 1) }))
  app.delete('/api/pins/:name', (c) => c.json({ success: true }))
  app.get('/api/wanted', (c) =>
    c.json([
      {
        id: 'lost.chronym',
        state: 'not-found',
        detail: 'Nobody shows it \u001b[2J',
        since: '2000-01-01T00:00:00.000Z',
        looked_at: null
      }
    ])
  )
  app.post('/api/wanted', async (c) => {
    const { id } = await c.req.json<{ id: string }>()
    return c.json({
      id,
      state: id === 'alice.chronym' ? 'adopted' : 'other-owner',
      detail: 'It is told.',
      since: '2000-01-01T00:00:00.000Z',
      looked_at: null
    })
  })
  app.get('/api/backup', (c) => c.json({ kept: null, missing: [] }))
  app.get('/api/change-words', (c) => c.json({ point: 'ab'.repeat(32), profile_hash: 'ab'.repeat(32) }))
  app.delete('/api/wanted/:id', (c) => c.json({ success: true }))
  app.get('/api/names', (c) =>
    c.req.header('Authorization') === undefined ? problem(c, 'SVC-AUT-001', 'no token') : c.json(shown.names)
  )
  app.get('/api/seed', (c) =>
    c.req.header('Authorization') === undefined ? problem(c, 'SVC-AUT-001', 'no token') : c.json(shown.seed)
  )
  app.get('/api/vdf/tasks', (c) => c.json([TASK, { ...DONE, task_id: 't2' }]))
  app.get('/api/vdf/status/:id', (c) => c.json(c.req.param('id') === 'bad' ? FAILED : DONE))
  app.get('/api/vdf/status/:id/events', (c) =>
    streamSSE(c, async (stream) => {
      const end = c.req.param('id') === 'bad' ? FAILED : DONE
      await stream.writeSSE({ id: '1', event: 'progress', data: JSON.stringify(TASK) })
      // The daemon may be stopped in good order while a task runs: then the stream ends without an end of the task.
      if (c.req.param('id') === 'cut') return
      await stream.writeSSE({ id: '2', event: end.status, data: JSON.stringify(end) })
    })
  )
  app.delete('/api/vdf/status/:id', (c) => c.json({ success: true }))
  // Of another kind, so that nothing is said about the cost.
  app.post('/api/vdf/estimate', (c) => c.json({ kind: 'renew' }))
  app.post('/api/vdf/register', (c) => c.json({ task_id: 't1', message: 'started' }, 202))
  app.post('/api/login-links', (c) => c.json({ link: 'L'.repeat(43), expires_at: '2000-01-01T00:01:00.000Z' }, 201))
  app.post('/api/commit', (c) => c.json({ success: true, stored_by: 3, of: 3, pulse_round: 1020 }))
  app.post('/api/zone/:name', (c) => c.json({ success: true, serial: 4 }))
  app.post('/api/zone/:name/publish', (c) => c.json({ success: true, serial: 4, stored_by: 2, of: 3 }))
  app.get('/api/zone/:name', (c) => {
    c.header('X-Zone-Source', 'local')
    c.header('ETag', '"4"')
    return c.json({
      serial: 4,
      records: { www: [{ type: 'A', value: '192.0.2.1', ttl: 60 }], '@': [{ type: 'TXT', value: 'evil \u001b[2J' }] }
    })
  })
  app.get('/api/challenge', (c) => {
    const { nonce = '', address = '' } = c.req.query()
    const instance = '6f1d2b7c-8e90-4f0e-9a53-3f1c9a520d0e'
    return c.json({ instance, proof: proofOf(proofKey('secret'), { nonce, instance, address }) })
  })
  app.get('/api/farm', (c) => c.json(shown.farm))
  app.get('/api/dns', (c) => c.json(shown.dns ?? { zone: 'chronym.' }))
  app.post('/api/dns/flush', async (c) => {
    const { name } = await c.req.json<{ name?: string }>()
    return c.json({ success: true, flushed: name === undefined ? 2 : 1 })
  })
  app.get('/api/config/fields', (c) => (shown.fields === undefined ? c.notFound() : c.json(shown.fields)))
  app.get('/api/config', (c) => c.json({ mode: 'full', api: { port: 7468 } }))
  app.post('/api/config', (c) => c.json({ mode: 'light', api: { port: 7468 } }))
  return { app, requests }
}

export const daemon = fakeDaemon()
export let url: string

beforeAll(async () => {
  const server = await listen(daemon.app.fetch)
  url = server.url
  return server.close
})

export const ask = (args: readonly string[], settings: Parameters<typeof cli>[1] = {}) =>
  cli(['--api', url, '--token', 'secret', ...args], settings)
