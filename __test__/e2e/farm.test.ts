/** A farm of the programs themselves: two daemons, a server that asks for keys, workers that are killed, and a browser. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { nkeys } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../scripts/program.ts'
import { NatsServer } from '../../scripts/nats-server.ts'
import { faultsOf, launchBrowser, logIn, seriousFindings } from './browser.ts'
import { type Answer, begin, type Daemon, eventually, type Finished, runToEnd, Scene } from './processes.ts'

const CHRONYM = 'src/cli/main.ts'
const ITERATIONS = 600_000
const PATIENCE_MS = 120_000

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
  writeFileSync(keyFile, Buffer.from(key.getSeed()), { mode: 0o600 })
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
    const away = await begin(daemon, 'alice.chronym')
    // Otherwise it stays here, if the other one is done before it begins.
    expect((await daemon.request('POST', `/api/vdf/tasks/${away}/move`, { place: 'farm' })).status).toBe(200)
    await begin(daemon, 'bob.chronym')
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

  it('moves a task to a worker and back by its dashboard, and there again by the command', async () => {
    const worker = scene.child(run(CHRONYM, [...workerArguments(), '--credentials', keyFile, '--label', 'w2']))
    /** Squarings at which it took the task up. */
    const begun: number[] = []
    createInterface({ input: worker.stderr! }).on('line', (line) => {
      const { msg, squarings } = JSON.parse(line) as { msg: string; squarings: number }
      if (msg === 'begins') begun.push(squarings)
    })
    const hasBegun = (times: number): Promise<unknown> =>
      eventually(
        () => Promise.resolve(begun.length),
        (length) => length === times
      )
    const path = `/api/vdf/status/${await begin(daemon, 'ab.chronym')}`
    const task = async (): Promise<Answer> => (await daemon.request('GET', path)).body
    const before = await eventually(task, ({ place, progress }) => place === 'local' && progress > 0)

    const browser = await launchBrowser()
    scene.onEnd(() => browser.close())
    const page = await browser.newPage({ reducedMotion: 'reduce' })
    page.setDefaultTimeout(PATIENCE_MS)
    const faults = faultsOf(page)
    await page.goto(`${daemon.summary.api_url}/#/tasks`)
    await logIn(page, daemon)
    const isAt = (place: string): Promise<void> =>
      page.getByRole('table', { name: 'Core time by name' }).getByRole('cell', { name: place, exact: true }).waitFor()
    const move = (act: string): Promise<void> =>
      page.getByRole('button', { name: `${act}: register ab.chronym`, exact: true }).click()

    await move('Move to the farm')
    await isAt('w2')
    await hasBegun(1)
    expect(begun[0]).toBeGreaterThanOrEqual(before.progress)
    expect(await seriousFindings(page)).toEqual([])
    await move('Move here')
    await isAt('this machine')
    expect(await task()).toMatchObject({ status: 'running', moved_to: 'local', worker: null })
    const moveByCommand = (): Promise<Finished> =>
      runToEnd(CHRONYM, ['tasks', 'move', 'ab.chronym', 'farm', '--json', '--data-dir', daemon.summary.data_dir])
    // On a busy machine it may give a silent daemon up.
    const { stdout } = await eventually(moveByCommand, ({ code }) => code === 0)
    expect(JSON.parse(stdout)).toMatchObject({ name: 'ab.chronym', moved_to: 'farm' })
    await isAt('w2')
    await hasBegun(2)
    expect(begun[1]).toBeGreaterThanOrEqual(begun[0]!)
    expect(faults).toEqual([])
    await daemon.request('DELETE', path)
    await eventually(
      () => daemon.request('GET', '/api/farm'),
      ({ body }) => body.tasks === 0 && body.workers[0]?.busy === 0
    )
    worker.kill('SIGTERM')
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
