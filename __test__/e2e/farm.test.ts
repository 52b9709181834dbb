/** A farm of the programs themselves: two daemons, a server that asks for keys, and workers that are killed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../scripts/program.ts'
import { NatsServer } from '../../scripts/nats-server.ts'
import { type Answer, type Daemon, eventually, Scene } from './processes.ts'

const CHRONYM = 'src/cli/main.ts'
const ITERATIONS = 600_000

const scene = new Scene()
let server: NatsServer
let profile: string
let dataDir: string
let keyFile: string
let daemon: Daemon
let peer: Daemon

const start = (args: readonly string[]): Promise<Daemon> =>
  scene.daemon(['--network', profile, '--vdf-checkpoint-seconds', '0.5', ...args])

const startWithFarm = (): Promise<Daemon> =>
  start([
    ...['--data-dir', dataDir, '--bootstrap', peer.address],
    ...['--vdf-farm', server.url, '--vdf-farm-credentials', keyFile]
  ])

const workerArguments = (): string[] => ['worker', '--farm', server.url, '--network', profile, '--threads', '1']

const tasks = async (): Promise<Answer[]> => (await daemon.request('GET', '/api/vdf/tasks')).body as Answer[]

beforeAll(async () => {
  const directory = scene.directory()
  profile = scene.network(ITERATIONS)
  const key = nkeys.createUser()
  keyFile = join(directory, 'farm.nk')
  writeFileSync(keyFile, Buffer.from(key.getSeed()))
  const settings = join(directory, 'nats.conf')
  writeFileSync(settings, `authorization { users: [ { nkey: ${key.getPublicKey()} } ] }\n`)
  server = await NatsServer.started(scene.directory(), ['--config', settings])
  scene.onEnd(() => server.kill())
  dataDir = scene.directory()
  peer = await start(['--data-dir', scene.directory()])
  daemon = await startWithFarm()
})

afterAll(() => scene.end())

describe('a daemon with a farm', () => {
  it('registers beside its own slot at a worker, which outlives the daemon, and journals both proofs', async () => {
    const worker = scene.child(run(CHRONYM, [...workerArguments(), '--credentials', keyFile, '--label', 'w1']))
    worker.stderr!.resume()
    await eventually(
      () => daemon.request('GET', '/api/network-status'),
      ({ body }) => body.peers >= 1
    )
    await eventually(
      () => daemon.request('GET', '/api/farm'),
      ({ body }) => body.workers.length === 1
    )
    const register = (name: string) => daemon.request('POST', '/api/vdf/register', { name })
    const away = await register('alice.chronym')
    // Otherwise it stays here, if the other one is done before it begins.
    const moved = await daemon.request('POST', `/api/vdf/tasks/${away.body.task_id}/move`, { place: 'farm' })
    expect([away.status, moved.status, (await register('bob.chronym')).status]).toEqual([202, 200, 202])
    await eventually(tasks, (all) => all.some(({ worker: by }) => by === 'w1'))

    await daemon.signal('SIGKILL')
    daemon = await startWithFarm()
    const ended = await eventually(tasks, (all) => all.every(({ status }) => status !== 'running'))
    expect(ended.map(({ name, status, error }) => ({ name, status, error }))).toEqual([
      { name: 'alice.chronym', status: 'completed', error: null },
      { name: 'bob.chronym', status: 'completed', error: null }
    ])
    expect(worker.exitCode).toBeNull()
    worker.kill('SIGTERM')
    await eventually(
      () => Promise.resolve(worker.exitCode),
      (code) => code === 0
    )
  })

  it('is closed to a worker without a key', async () => {
    const refused = run(CHRONYM, workerArguments())
    scene.child(refused)
    let said = ''
    refused.stderr!.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
    await eventually(
      () => Promise.resolve(said),
      (text) => text.includes('the farm cannot be reached') && /authorization/iu.test(text)
    )
  })
})
