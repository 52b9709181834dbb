import { serve, type ServerType } from '@hono/node-server'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ERROR_TABLE, type ErrorCode } from '../../../src/errors.ts'
import type { Explanation } from '../../../src/views/explanation.ts'
import type { PinView } from '../../../src/views/pin.ts'
import type { TaskView } from '../../../src/views/task.ts'
import { explanation } from '../../api/helpers/explanation.ts'
import { pinOf } from '../../api/helpers/endpoints.ts'
import { cli } from '../harness.ts'

const TASK: TaskView = {
  task_id: 't1',
  name: 'alice.chronym',
  kind: 'register',
  status: 'running',
  phase: 'evaluate',
  paused: false,
  iterations: 1000,
  progress: 500,
  queue_position: null,
  stalled: null,
  phase_progress: 0,
  iterations_per_second: 250,
  eta_seconds: 2,
  deadline: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:05.000Z',
  resumed: 0,
  error: null
}
const DONE: TaskView = { ...TASK, status: 'completed', phase: 'done', progress: 1000 }
const FAILED: TaskView = { ...TASK, status: 'failed', error: { code: 'SVC-REG-001', message: 'somebody was faster' } }

const OWNED = {
  name: 'alice.chronym',
  state: 'live',
  lease_end: '2000-01-08T00:00:00.000Z',
  serial: 2,
  published_serial: 1,
  renewal: { state: 'failed', due: '2000-01-07T00:00:00.000Z', task_id: null, left: 64 },
  warnings: [{ code: 'renewal-failed', message: 'Its renewal failed \u001b[2J' }]
}
const WELL = {
  ...OWNED,
  name: 'bob.chronym',
  published_serial: 2,
  renewal: { ...OWNED.renewal, state: 'scheduled' },
  warnings: []
}
const EXPLANATION: Explanation = explanation({
  verdict: 'alice.chronym belongs to this daemon: 1 of 1 votes; its lease runs until 2000-01-08T00:00:00.000Z.',
  rule: 'majority',
  rule_text: 'The majority wins.',
  state: 'settled',
  lease: { start: '2000-01-01T00:00:00.000Z', end: '2000-01-08T00:00:00.000Z', grace_end: '2000-01-09T00:00:00.000Z' },
  owner: 'ab'.repeat(32),
  answers: [
    {
      peer: 'me',
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
const PINS: readonly PinView[] = [
  pinOf('alice.chronym'),
  { ...pinOf('bob.chronym'), rival: '02'.repeat(32), contested_until: '2026-11-22T12:00:00.000Z' },
  { ...pinOf('carol.chronym'), state: 'firm', second_look: null, firm_since: '2026-11-22T18:00:00.000Z' }
]
const STATUS = {
  status: 'online',
  peers: 2,
  mode: 'full',
  peer_id: 'me',
  network: 'local',
  beacon: { round: 9, age_seconds: 1 },
  records: 3,
  diversity: null
}

/** Of a young network of one's own. */
const YOUNG = {
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
const GROWN = { ...YOUNG, diversity: { ...YOUNG.diversity, peers: 11, prefixes: 6, enough: true, message: null } }

const UNLOCKED = { state: 'unlocked', sealed: false, kept_elsewhere: true, waiting: [] as object[] }
let seed = UNLOCKED
let status: Record<string, unknown> = STATUS

/** Answers as the daemon does: codes on demand, the rest fixed. */
function fakeDaemon() {
  const requests: { method: string; path: string; headers: Headers; body: unknown }[] = []
  const app = new Hono()
  app.use(async (c, next) => {
    requests.push({
      method: c.req.method,
      path: c.req.path,
      headers: c.req.raw.headers,
      body: c.req.method === 'POST' ? await c.req.json().catch(() => undefined) : undefined
    })
    await next()
  })
  app.get('/api/resolve/:code', (c) => {
    const code = c.req.param('code') as ErrorCode
    const { status, title } = ERROR_TABLE[code]
    return c.newResponse(
      JSON.stringify({ type: `/errors/${code}`, title, status, detail: `detail of ${code}`, code, request_id: 'r7' }),
      (status ?? 500) as 500,
      {
        'Content-Type': 'application/problem+json'
      }
    )
  })
  app.get('/api/resolve-kid/:did', (c) =>
    c.json({ kid_document: { id: c.req.param('did'), verificationMethod: [] }, manifest_document: null })
  )
  app.get('/api/explain/:name', (c) => (c.req.param('name') === 'html' ? c.text('<html>', 200) : c.json(EXPLANATION)))
  app.get('/readyz', (c) => c.json({ ready: true, checks: [] }))
  app.get('/api/network-status', (c) => c.json(status))
  app.get('/api/pins', (c) => c.json(PINS.filter(({ name }) => name > (c.req.query('after') ?? ''))))
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
  app.delete('/api/wanted/:id', (c) => c.json({ success: true }))
  app.get('/api/names', (c) => {
    if (c.req.header('Authorization') !== undefined) return c.json([OWNED, WELL])
    return c.newResponse(
      JSON.stringify({
        type: '/errors/SVC-AUT-001',
        title: '',
        status: 401,
        detail: 'no token',
        code: 'SVC-AUT-001',
        request_id: 'r7'
      }),
      401,
      { 'Content-Type': 'application/problem+json' }
    )
  })
  app.get('/api/seed', (c) => {
    if (c.req.header('Authorization') !== undefined) return c.json(seed)
    return c.newResponse(
      JSON.stringify({
        type: '/errors/SVC-AUT-001',
        title: '',
        status: 401,
        detail: 'no token',
        code: 'SVC-AUT-001',
        request_id: 'r7'
      }),
      401,
      { 'Content-Type': 'application/problem+json' }
    )
  })
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
  app.post('/api/vdf/register', (c) => c.json({ task_id: 't1', message: 'started' }, 202))
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
  app.get('/api/config', (c) => c.json({ mode: 'full', api: { port: 7468 } }))
  app.post('/api/config', (c) => c.json({ mode: 'light', api: { port: 7468 } }))
  return { app, requests }
}

const daemon = fakeDaemon()
let server: ServerType
let url: string

beforeAll(async () => {
  await new Promise<AddressInfo>((resolve) => {
    server = serve({ fetch: daemon.app.fetch, port: 0, hostname: '127.0.0.1' }, resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const ask = (args: readonly string[], settings: Parameters<typeof cli>[1] = {}) =>
  cli(['--api', url, '--token', 'secret', ...args], settings)

describe('errors of the daemon', () => {
  it.each<[ErrorCode, number]>([
    ['SVC-RES-002', 4],
    ['SVC-RES-003', 4],
    ['SVC-TSK-001', 4],
    ['SVC-AUT-003', 4],
    ['SVC-PIN-001', 4],
    ['SVC-AUT-001', 5],
    ['SVC-AUT-002', 5],
    ['SVC-OWN-001', 5],
    ['SVC-REQ-001', 6],
    ['SVC-REG-001', 6],
    ['SVC-ZON-002', 6],
    ['SVC-ZON-004', 6],
    ['SVC-RES-001', 7],
    ['SVC-REQ-005', 7],
    ['SVC-PUB-002', 7],
    ['SVC-BCN-001', 7],
    ['SVC-INT-001', 8],
    ['SVC-STO-001', 8]
  ])('%s ends with exit code %d', async (code, exitCode) => {
    const result = await ask(['--json', 'resolve', code])
    expect(result).toMatchObject({ exitCode, stdout: '' })
    expect(JSON.parse(result.stderr)).toEqual({
      error: {
        code,
        detail: `detail of ${code}`,
        cure: code === 'SVC-AUT-001' ? expect.stringContaining('--data-dir') : ERROR_TABLE[code].cure,
        status: ERROR_TABLE[code].status,
        request_id: 'r7',
        exit_code: exitCode
      }
    })
  })

  it('gives every code that has an HTTP status an exit code of a failure', async () => {
    for (const [code, { status }] of Object.entries(ERROR_TABLE))
      if (status !== null) expect((await ask(['resolve', code])).exitCode, code).toBeGreaterThan(3)
  })

  it.each(['a\nb', 'a b', 'ä'])('never sends %j, which is no token', async (token) => {
    const { exitCode, stderr } = await ask(['names', '--token', token])
    expect(exitCode).toBe(5)
    expect(stderr).toMatch(/CLI-TOK-001.*--token or CHRONYM_TOKEN/)
  })

  it.each(['other\n', 'other\r\n', ' other '])('takes %j for the token without what is around it', async (token) => {
    expect((await ask(['names', '--token', token])).exitCode).toBe(0)
    expect(daemon.requests.at(-1)?.headers.get('authorization')).toBe('Bearer other')
  })

  it('sends the token, and nothing with zone get --public', async () => {
    await ask(['zone', 'get', 'alice.chronym'])
    expect(daemon.requests.at(-1)?.headers.get('authorization')).toBe('Bearer secret')
    await ask(['zone', 'get', '--public', 'alice.chronym'])
    expect(daemon.requests.at(-1)?.headers.get('authorization')).toBeNull()
  })
})

describe('answers', () => {
  it('are the JSON of the daemon in a pipe', async () => {
    expect(JSON.parse((await ask(['tasks'])).stdout)).toEqual([TASK, { ...DONE, task_id: 't2' }])
  })

  it('are a table on a terminal', async () => {
    expect((await ask(['tasks'], { terminal: true })).stdout.split('\n').slice(0, 2)).toEqual([
      'name           kind      state      done    left   task',
      'alice.chronym  register  evaluate   50.0%   2.0 s  t1'
    ])
  })

  it('show a zone as record lines that zone set reads, without control characters', async () => {
    const { stdout } = await ask(['zone', 'get', 'alice.chronym'], { terminal: true })
    expect(stdout).toContain(String.raw`evil \u001b[2J`)
    expect(stdout).not.toContain('\u001b')
    await ask(['zone', 'set', 'alice.chronym', '-', '--yes'], { stdin: stdout })
    expect(daemon.requests.at(-1)?.body).toEqual({
      records: {
        www: [{ type: 'A', value: '192.0.2.1', ttl: 60 }],
        '@': [{ type: 'TXT', value: String.raw`evil \u001b[2J` }]
      }
    })
  })

  it('of names show lease, renewal and what their owner should know', async () => {
    expect(JSON.parse((await ask(['names'])).stdout)).toEqual([OWNED, WELL])
    const lines = (await ask(['names'], { terminal: true })).stdout.split('\n')
    expect(lines[0]).toMatch(/^name +state +lease ends +renewal +left +zone$/)
    expect(lines[1]).toMatch(/^alice\.chronym +live +2000-01-08, .* ago +failed; tried again +64 +2 not published$/)
    expect(lines[2]).toMatch(/now +64 +published$/)
    expect(stripVTControlCharacters(lines[3]!)).toBe(String.raw`warning alice.chronym: Its renewal failed \u001b[2J`)
  })

  it('of names and adopt say what is looked for, and the exit code whether all of it was found', async () => {
    const lost = String.raw`lost.chronym  not-found: Nobody shows it \u001b[2J`
    expect((await ask(['names'], { terminal: true })).stdout).toContain(`looked for in the network:\n${lost}`)
    expect(await ask(['adopt'], { terminal: true })).toMatchObject({ exitCode: 0, stdout: `${lost}\n` })
    expect(await ask(['adopt', 'alice.chronym'])).toMatchObject({ exitCode: 0 })
    const both = await ask(['adopt', 'alice.chronym', 'bob.chronym'])
    expect(both.exitCode).toBe(1)
    expect(JSON.parse(both.stdout)).toMatchObject([{ state: 'adopted' }, { state: 'other-owner' }])
    expect(JSON.parse((await ask(['adopt', '--forget', 'bob.chronym'])).stdout)).toEqual({ forgotten: ['bob.chronym'] })
    expect((await ask(['adopt', '--forget'])).exitCode).toBe(2)
  })

  it('of the status tell which names need looking after, to those who may know', async () => {
    expect(JSON.parse((await ask(['status'])).stdout)).toEqual({
      ...STATUS,
      warned_names: [{ name: OWNED.name, warnings: OWNED.warnings }]
    })
    expect(stripVTControlCharacters((await ask(['status'], { terminal: true })).stdout)).toContain(
      'warning alice.chronym: '
    )
    const stranger = await cli(['--api', url, '--data-dir', '/nonexistent', 'status'])
    expect(JSON.parse(stranger.stdout)).toEqual(STATUS)
  })

  it('of the status tell that the seed is locked and what waits for it', async () => {
    seed = {
      state: 'locked',
      sealed: true,
      kept_elsewhere: true,
      waiting: [{ what: 'renew', name: 'alice.chronym', task_id: 't1' }]
    }
    try {
      const { stdout } = await ask(['status'], { terminal: true })
      expect(stripVTControlCharacters(stdout)).toContain(
        'the seed is locked: 1 signature waits: renew alice.chronym\n  unlock it: chronym unlock'
      )
      expect(JSON.parse((await ask(['status'])).stdout)).toMatchObject({ seed })
    } finally {
      seed = UNLOCKED
    }
  })

  it('of the status say in one line what a young network is missing', async () => {
    const diversityOf = async (answered: Record<string, unknown>): Promise<string[]> => {
      status = answered
      const { stdout } = await ask(['status'], { terminal: true })
      return stripVTControlCharacters(stdout)
        .split('\n')
        .filter((line) => line.startsWith('diversity'))
    }
    try {
      expect(await diversityOf(YOUNG)).toEqual([
        String.raw`diversity  2 of the 11 diverse peers that an answer needs \u001b[2J`
      ])
      for (const quiet of [STATUS, GROWN, { ...YOUNG, status: 'offline' }]) expect(await diversityOf(quiet)).toEqual([])
    } finally {
      status = STATUS
    }
  })

  it('of an explanation show the verdict, what it rests on, and who was silent', async () => {
    expect(JSON.parse((await ask(['explain', 'alice.chronym'])).stdout)).toEqual(EXPLANATION)
    const text = stripVTControlCharacters((await ask(['explain', 'alice.chronym'], { terminal: true })).stdout)
    expect(text.split('\n')[0]).toBe(EXPLANATION.verdict)
    expect(text).toMatch(/^rule +majority: The majority wins\.$/m)
    expect(text).toMatch(/^resolves +yes \(settled\)$/m)
    expect(text).toContain(String.raw`- 1 of 2 asked have answered \u001b[2J`)
    expect(text).toMatch(/^this daemon +settled +counts +abababababababab +cdcdcdcdcdcdcdcd +3$/m)
    expect(text).toMatch(/^12D3KooX +busy$/m)
  })

  it('of pins show owner, state and what comes next', async () => {
    expect(JSON.parse((await ask(['pins'])).stdout)).toEqual(PINS)
    const lines = (await ask(['pins', 'list'], { terminal: true })).stdout.split('\n')
    expect(lines[0]).toMatch(/^name +owner +state +since +second look +until$/)
    expect(lines[1]).toMatch(/^alice\.chronym +(01){32} +tentative +.+ +due .+ +2026-11-23T12:00:00\.000Z$/)
    expect(lines[2]).toMatch(/^bob\.chronym +(01){32} +tentative, contested by (02){32} /)
    expect(lines[3]).toMatch(/^carol\.chronym +(01){32} +firm +.+ +firm .+ +2026-11-23/)
    expect(JSON.parse((await ask(['pins', 'forget', 'alice.chronym'])).stdout)).toEqual({ success: true })
    expect(daemon.requests.at(-1)).toMatchObject({ method: 'DELETE', path: '/api/pins/alice.chronym' })
    expect((await ask(['pins', 'forget', 'alice.chronym'], { terminal: true })).stdout).toBe(
      'the owner of alice.chronym is forgotten; the next look decides\n'
    )
    expect((await ask(['pins', 'forget'])).exitCode).toBe(2)
  })

  it('pick one field of the configuration', async () => {
    expect((await ask(['config', 'get', 'api.port'])).stdout).toBe('7468\n')
    expect((await ask(['config', 'get', 'mode', '--no-json'])).stdout).toBe('full\n')
    expect((await ask(['config', 'get', 'nothing'])).exitCode).toBe(4)
  })
})

describe('requests', () => {
  it('carry records given as options', async () => {
    const { exitCode, stdout } = await ask([
      'zone',
      'set',
      'alice.chronym',
      '-r',
      'www A 192.0.2.1',
      '-r',
      '@ 60 TXT hi',
      '--if-serial',
      '3',
      '--publish',
      '--yes'
    ])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ success: true, serial: 4, stored_by: 2, of: 3 })
    const [save, publish] = daemon.requests.slice(-2)
    expect(save).toMatchObject({
      method: 'POST',
      path: '/api/zone/alice.chronym',
      body: { records: { www: [{ type: 'A', value: '192.0.2.1' }], '@': [{ type: 'TXT', value: 'hi', ttl: 60 }] } }
    })
    expect(save?.headers.get('if-match')).toBe('"3"')
    expect(publish).toMatchObject({ method: 'POST', path: '/api/zone/alice.chronym/publish' })
  })

  it('carry configuration as nested fields with their types', async () => {
    await ask(['config', 'set', 'mode=light', 'vdf.queue=7', 'api.allowed_hosts=["a"]', 'log.level=debug'])
    expect(daemon.requests.at(-1)?.body).toEqual({
      mode: 'light',
      vdf: { queue: 7 },
      api: { allowed_hosts: ['a'] },
      log: { level: 'debug' }
    })
  })

  it('carry an idempotency key with a registration', async () => {
    const { stdout } = await ask(['register', '--yes', '--no-wait', 'alice.chronym'])
    expect(JSON.parse(stdout)).toEqual({ task_id: 't1', message: 'started' })
    expect(daemon.requests.at(-1)?.headers.get('idempotency-key')).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('watching a task', () => {
  it('prints one JSON line for each event in a pipe and ends with 0 when it is completed', async () => {
    const { exitCode, stdout } = await ask(['register', '--yes', 'alice.chronym'])
    expect(exitCode).toBe(0)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
    ).toEqual([
      { event: 'started', task_id: 't1', message: 'started' },
      { event: 'progress', ...TASK },
      { event: 'completed', ...DONE }
    ])
  })

  it('shows phases and a bar to a person', async () => {
    const { stdout, stderr } = await ask(['status', '--watch', 't1'], { terminal: true })
    expect(stderr).toContain('squaring: the time that the name costs')
    expect(stderr).toContain('500/1,000')
    expect(stdout).toBe('alice.chronym is registered: 1,000 squarings, 5.0 s in all.\n')
  })

  it('ends with 1 and the reason when the task failed', async () => {
    const { exitCode, stderr } = await ask(['status', '--watch', 'bad'])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('SVC-REG-001')
    expect(stderr).toContain('somebody was faster')
    expect((await ask(['status', 'bad'])).exitCode).toBe(1)
  })

  it('looks at the task when a stream ends without its end', async () => {
    const { exitCode, stdout } = await ask(['status', '--watch', 'cut'])
    expect(exitCode).toBe(0)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { event: string }).event)
    ).toEqual(['progress', 'completed'])
  })

  it('says that the daemon is gone while it tries again, once', async () => {
    const { stderr } = await ask(['status', '--watch', 'cut', '--no-json'])
    expect(stderr.match(/does not answer; trying again/gu)).toHaveLength(1)
  })

  it('leaves the task alone when interrupted, and says how to come back', async () => {
    const { exitCode, stderr } = await ask(['status', '--watch', 'cut'], { signal: AbortSignal.abort() })
    expect(exitCode).toBe(130)
    expect(stderr).toContain('chronym status --watch cut')
    expect(daemon.requests.some(({ method, path }) => method === 'DELETE' && path.endsWith('/cut'))).toBe(false)
  })
})

describe('doctor', () => {
  it('says what to do where there are no peers, or none that can be asked', async () => {
    const cureWith = async (peers: number): Promise<string> => {
      status = { ...STATUS, status: 'connecting', peers }
      const { stdout } = await ask(['doctor', '--json'])
      return (
        (JSON.parse(stdout) as { checks: { name: string; cure?: string }[] }).checks.find(
          ({ name }) => name === 'peers'
        )?.cure ?? ''
      )
    }
    try {
      expect(await cureWith(0)).toContain('--bootstrap')
      expect(await cureWith(1)).toContain('they have another network profile')
    } finally {
      status = STATUS
    }
  })

  it('warns of too few diverse peers, with the numbers and the cure, and calls nothing unhealthy', async () => {
    const diagnosed = async (answered: Record<string, unknown>) => {
      status = answered
      const { checks } = JSON.parse((await ask(['doctor', '--json'])).stdout) as {
        checks: { name: string; state: string; detail: string; cure?: string }[]
      }
      expect(checks.find(({ name }) => name === 'daemon')).toMatchObject({ state: 'ok' })
      return checks.find(({ name }) => name === 'diverse')
    }
    const former = { ...STATUS, diversity: undefined }
    try {
      const warned = await diagnosed(YOUNG)
      expect(warned).toMatchObject({ state: 'warning', detail: YOUNG.diversity.message })
      for (const cure of ['--bootstrap', 'answers_per_prefix 0', 'smaller k', 'docs/network.md'])
        expect(warned!.cure).toContain(cure)
      expect(await diagnosed(GROWN)).toEqual({
        name: 'diverse',
        state: 'ok',
        detail: '11 diverse peers in 6 /24 or /48'
      })
      for (const quiet of [STATUS, former, { ...YOUNG, status: 'connecting' }])
        expect(await diagnosed(quiet)).toBeUndefined()
    } finally {
      status = STATUS
    }
  })
})

describe('a commitment by hand', () => {
  it('is bound to the pulse that the daemon names by what the peers saw', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'chronym-commit-'))
    try {
      const [file, seed] = [join(directory, 'secret.json'), join(directory, 'seed')]
      writeFileSync(seed, '11'.repeat(32))
      const { exitCode, stdout } = await ask([
        'commit',
        'alice.chronym',
        '--network',
        'local',
        '--seed-file',
        seed,
        '--file',
        file
      ])
      expect({ exitCode, stdout }).toEqual({
        exitCode: 0,
        stdout: expect.stringContaining('"pulse_round":1020') as string
      })
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pulse_round: 1020 })
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
