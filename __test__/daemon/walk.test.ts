/**
 * What a user tries first, with real daemons on loopback: one registers, publishes, resolves and answers DNS; it is
 * killed and started again; and of three daemons one looks up what another registered.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askUdp, type Server } from '../../scripts/dns/ask.ts'
import { decodeReply, encodeQuery } from '../../scripts/dns/message.ts'
import { acquainted, begin, completed, eventually, register, Scene, type Daemon } from '../e2e/processes.ts'

/** Seconds of a slow processor. */
const SQUARINGS = 100_000
const ZONE = { records: { '@': [{ type: 'A', value: '192.0.2.10' }] } }

const scene = new Scene()
let profile: string
let directory: string
let daemon: Daemon

const start = (dataDir: string, ...args: string[]): Promise<Daemon> =>
  scene.daemon(['--network', profile, '--data-dir', dataDir, '--vdf-checkpoint-seconds', '0.1', ...args])

beforeAll(async () => {
  profile = scene.network(SQUARINGS)
  directory = scene.directory()
  daemon = await start(directory)
})
afterAll(() => scene.end())

async function addressOf(name: string): Promise<string[]> {
  const { body } = await daemon.request('GET', '/api/dns')
  const listening = body.listen as ({ readonly transport: string } & Server)[]
  const server = listening.find(({ transport }) => transport === 'udp')!
  const reply = await askUdp(server, encodeQuery(7, { name, type: 'A' }), name)
  return decodeReply(reply!).answer.map(({ text }) => text)
}

it('a daemon registers a name, publishes its zone, resolves it and answers DNS', async () => {
  await register(daemon, 'alice.chronym')
  expect((await daemon.request('POST', '/api/zone/alice.chronym', ZONE)).status).toBe(200)
  expect((await daemon.request('POST', '/api/zone/alice.chronym/publish')).body).toMatchObject({ success: true })
  const resolved = await daemon.request('GET', '/api/resolve/alice.chronym')
  expect(resolved).toMatchObject({ status: 200, body: { name: 'alice.chronym', iterations: SQUARINGS } })
  expect(await addressOf('alice.chronym')).toEqual(['192.0.2.10'])
})

it('a daemon that is killed at work goes on with its task, and still has its name', async () => {
  const id = await begin(daemon, 'bob.chronym')
  await eventually(
    () => daemon.request('GET', `/api/vdf/status/${id}`),
    ({ body }) => body.progress > 0
  )
  const seed = readFileSync(join(directory, 'seed-words'), 'utf8')
  await daemon.signal('SIGKILL')
  daemon = await start(directory)
  await completed(daemon, id)
  expect(readFileSync(join(directory, 'seed-words'), 'utf8')).toBe(seed)
  expect((await daemon.request('GET', '/api/owned-names')).body).toContain('alice.chronym')
  expect(await addressOf('alice.chronym')).toEqual(['192.0.2.10'])
})

it('of three daemons, one looks up what another has registered', async () => {
  const join = () => start(scene.directory(), '--bootstrap', daemon.address)
  const [second, third] = await Promise.all([join(), join()])
  await acquainted(daemon, second, third)
  await register(second, 'carol.chronym')
  const expected = await second.request('GET', '/api/resolve/carol.chronym')
  const found = await eventually(
    () => third.request('GET', '/api/resolve/carol.chronym'),
    ({ status }) => status === 200
  )
  expect(found.body.pubkey).toEqual(expected.body.pubkey)
})
