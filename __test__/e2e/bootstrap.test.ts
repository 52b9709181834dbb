/** Real daemons that find each other the first time, by each source in turn while the others are down. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { firstLine, runBeacon } from '../../scripts/program.ts'
import { eventually, runToEnd, Scene, type Daemon } from './processes.ts'

const scene = new Scene()
const directory = scene.directory()
/** Nobody listens there. */
const DOWN = '/ip4/127.0.0.1/tcp/1/p2p/12D3KooWHCSCJ8b55Ucb6SrPyMoaCSQJvt6LD5Wb1t5QU3xU5CMY'
let started = 0
let common: string[] = []
let first: Daemon

const start = (args: readonly string[]): Promise<Daemon> =>
  scene.daemon([...common, '--data-dir', join(directory, String(started++)), ...args])

const joined = async (daemon: Daemon): Promise<void> => {
  await eventually(
    async () => (await daemon.request('GET', '/api/network-status')).body as { status: string; peers: number },
    ({ status, peers }) => status === 'online' && peers > 0
  )
}

beforeAll(async () => {
  const { url } = await firstLine<{ url: string }>(scene.child(runBeacon()))
  common = ['--network', 'local', '--beacon-url', url, '--log-level', 'warn', '--dns-enabled', 'false']
  first = await start([])
})

afterAll(() => scene.end())

it('by a file, once it names a peer that answers', async () => {
  const file = join(directory, 'peers')
  writeFileSync(file, `${DOWN}   # gone\n`)
  const daemon = await start(['--bootstrap-file', file])
  await eventually(
    () => Promise.resolve(daemon.logText()),
    (text) => text.includes('a bootstrap peer cannot be reached')
  )
  writeFileSync(file, `${DOWN}\n${first.address}\n`)
  await joined(daemon)
})

it('and tell which line of such a file is wrong', async () => {
  const file = join(directory, 'wrong')
  writeFileSync(file, '# peers\nboot.example\n')
  const args = [...common, '--data-dir', join(directory, 'wrong-daemon'), '--port', '0', '--bootstrap-file', file]
  const { code, stderr } = await runToEnd('src/daemon/main.ts', args)
  expect(code).not.toBe(0)
  expect(stderr).toContain(`${file} line 2: "boot.example" is not a multiaddr such as`)
})
