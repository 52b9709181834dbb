/** The main job with real processes: three daemons on loopback register, publish and resolve. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acquainted, eventually, Scene, type Answer, type Daemon } from './processes.ts'

/** Three seconds of the fastest processors: long enough to be interrupted, and short enough to wait for. */
const ITERATIONS = 600_000

const scene = new Scene()
let profile: string
let first: Daemon
let second: Daemon
let third: Daemon

interface Task {
  task_id: string
  status: string
  phase: string
  progress: number
  iterations: number
  resumed: number
  error: { code: string; message: string } | null
}

async function start(args: readonly string[] = []): Promise<Daemon> {
  return scene.daemon([
    '--network',
    profile,
    '--data-dir',
    scene.directory(),
    '--vdf-checkpoint-seconds',
    '0.1',
    ...args
  ])
}

const online = (daemon: Daemon, peers: number) =>
  eventually(
    () => daemon.request('GET', '/api/network-status'),
    ({ body }) => body.peers >= peers
  )

async function register(daemon: Daemon, name: string): Promise<string> {
  const {
    status,
    body: answer,
    headers
  } = await eventually(
    () => daemon.request('POST', '/api/vdf/register', { name }),
    (answer) => answer.status !== 503
  )
  expect({ status, answer }).toMatchObject({ status: 202, answer: { task_id: expect.any(String) as string } })
  expect(headers.get('location')).toBe(`/api/vdf/status/${answer.task_id}`)
  return answer.task_id as string
}

const task = async (daemon: Daemon, id: string): Promise<Task> =>
  (await daemon.request('GET', `/api/vdf/status/${id}`)).body as Task

async function finished(daemon: Daemon, id: string): Promise<Task> {
  const last = await eventually(
    () => task(daemon, id),
    ({ status }) => status !== 'running'
  )
  expect(last.error).toBeNull()
  return last
}

beforeAll(async () => {
  profile = scene.network(ITERATIONS)
  first = await start()
  ;[second, third] = await Promise.all([start(['--bootstrap', first.address]), start(['--bootstrap', first.address])])
  await acquainted(first, second, third)
})

afterAll(() => scene.end())

describe('three daemons', () => {
  it('register a name at one and resolve name, zone and identity at another', async () => {
    const id = await register(first, 'alice.chronym')
    expect(await finished(first, id)).toMatchObject({
      status: 'completed',
      progress: ITERATIONS,
      iterations: ITERATIONS
    })

    const records = {
      '@': [
        { type: 'A', value: '192.0.2.10' },
        { type: 'AAAA', value: '2001:db8::10' },
        { type: 'TXT', value: 'earned by time' }
      ],
      www: [{ type: 'CNAME', value: 'alice.chronym.' }]
    }
    const saved = await first.request('POST', '/api/zone/alice.chronym', { records })
    expect(saved).toMatchObject({ status: 200, body: { success: true } })
    const published = await first.request('POST', '/api/zone/alice.chronym/publish')
    expect(published).toMatchObject({ status: 200, body: { success: true, serial: saved.body.serial } })
    expect(published.body.stored_by).toBeGreaterThanOrEqual(2)

    const withoutToken = (path: string) =>
      fetch(`${third.summary.api_url}${path}`, { headers: { connection: 'close' } })
    const resolved = await withoutToken('/api/resolve/alice.chronym')
    expect(resolved.status).toBe(200)
    const reveal = (await resolved.json()) as Answer
    expect(reveal).toMatchObject({ name: 'alice.chronym', iterations: ITERATIONS })
    expect(reveal.pubkey).toHaveLength(32)
    for (const field of ['vdf_proof', 'signature', 'payload']) expect(reveal[field]).toMatch(/^[A-Za-z0-9+/]+=*$/)

    const zone = await withoutToken('/api/zone/alice.chronym')
    expect(zone.headers.get('x-zone-source')).toBe('network')
    const { records: seen } = (await zone.json()) as { records: Record<string, { type: string; value: string }[]> }
    expect(seen['@']!.map(({ type }) => type).sort()).toEqual(['A', 'AAAA', 'TXT'])
    expect(seen['www']![0]).toMatchObject({ type: 'CNAME' })

    expect((await first.request('GET', '/api/owned-names')).body).toContain('alice.chronym')
    expect((await second.request('GET', '/api/owned-names')).body).toEqual([])
  })

  it('refuse a name that another key has registered', async () => {
    const answer = await second.request('POST', '/api/vdf/register', { name: 'alice.chronym' })
    expect(answer).toMatchObject({ status: 409, body: { code: 'SVC-REG-001' } })
  })

  it('renew a name with a quarter of the squarings', async () => {
    const { status, body } = await first.request('POST', '/api/vdf/renew', { name: 'alice.chronym' })
    expect(status).toBe(202)
    expect(await finished(first, body.task_id)).toMatchObject({ kind: 'renew', iterations: ITERATIONS / 4 })
    const resolved = await third.request('GET', '/api/resolve/alice.chronym')
    expect(resolved.status).toBe(200)
  })
})

describe('a daemon killed in the middle', () => {
  it('takes the task up at its next start, goes on from its checkpoint and registers the name once', async () => {
    const directory = scene.directory()
    const args = [
      '--network',
      profile,
      '--data-dir',
      directory,
      '--bootstrap',
      first.address,
      '--vdf-checkpoint-seconds',
      '0.1'
    ]
    const before = await scene.daemon(args)
    await online(before, 1)
    const id = await register(before, 'survivor.chronym')
    const seen = await eventually(
      () => task(before, id),
      ({ progress }) => progress > ITERATIONS / 10
    )
    await before.signal('SIGKILL')

    const after = await scene.daemon(args)
    const again = await task(after, id)
    expect(again.resumed).toBe(1)
    expect(again.progress).toBeGreaterThan(0)
    const last = await finished(after, id)
    expect(last.progress).toBeGreaterThanOrEqual(seen.progress)
    await online(after, 1)
    await eventually(
      () => third.request('GET', '/api/resolve/survivor.chronym'),
      ({ status }) => status === 200
    )
    expect((await after.request('GET', '/api/owned-names')).body).toEqual(['survivor.chronym'])
  })
})
