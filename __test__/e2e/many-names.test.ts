/** Names of a file at a real daemon, which is killed meanwhile; the command line is killed too, and run again. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { run } from '../../scripts/program.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { type Answer, type Daemon, eventually, runToEnd, Scene } from './processes.ts'

const CHRONYM = 'src/cli/main.ts'
const NAMES = ['alice', 'bob', 'carol']

const scene = new Scene()
let dataDir: string
let profile: string
let file: string
let daemon: Daemon

const start = (): Promise<Daemon> =>
  scene.daemon(
    ['--network', profile, '--data-dir', dataDir].concat(['--vdf-max-tasks', '1', '--vdf-checkpoint-seconds', '0.1'])
  )
const register = (...args: string[]) => runToEnd(CHRONYM, ['--data-dir', dataDir, 'register', '--from', file, ...args])
const owned = async (): Promise<string[]> => (await daemon.request('GET', '/api/owned-names')).body as string[]
const tasks = async (): Promise<Answer[]> => (await daemon.request('GET', '/api/vdf/tasks')).body as Answer[]

beforeAll(async () => {
  dataDir = scene.directory()
  const { local } = builtInProfiles
  profile = join(scene.directory(), 'profile.json')
  writeFileSync(
    profile,
    JSON.stringify({ ...local, id: 'e2e', min_commit: 1, difficulty: { ...local.difficulty, base: 100_000 } })
  )
  file = join(scene.directory(), 'names.txt')
  writeFileSync(file, `# mine\n${NAMES.join('\n')}\n`)
  daemon = await start()
})

afterAll(() => scene.end())

it('registers them over a kill -9 of itself and of the daemon, and has nothing left to do then', async () => {
  const killed = scene.child(run(CHRONYM, ['--data-dir', dataDir, 'register', '--from', file]))
  await eventually(tasks, (all) => all.length > 0)
  killed.kill('SIGKILL')

  const running = scene.child(run(CHRONYM, ['--json', '--data-dir', dataDir, 'register', '--from', file]))
  const closed = once(running, 'close') as Promise<[number | null]>
  let said = ''
  running.stdout!.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
  running.stderr!.resume()
  await eventually(
    () => Promise.resolve(said),
    (text) => text.includes('"event":"completed"')
  )
  await daemon.signal('SIGKILL')
  daemon = await start()
  const [code] = await closed
  const [ended] = said.trim().split('\n').slice(-1)
  expect({ code, ended: JSON.parse(ended!) as object }).toMatchObject({
    code: 0,
    ended: { event: 'ended', names: 3, failed: 0, taken: 0, left: 0 }
  })
  expect((await owned()).sort()).toEqual(NAMES.map((name) => `${name}.chronym`))
  expect(await tasks(), 'none was begun twice').toHaveLength(3)

  const again = await register('--no-json')
  expect(again).toMatchObject({ code: 0, stdout: '3 names: 0 registered now, 3 before\n' })
})
