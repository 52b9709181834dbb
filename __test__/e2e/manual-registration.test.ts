/** docs/manual-registration.md, executed: every `sh` block of the page in turn, word by word, on real daemons. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, it } from 'vitest'
import { cleanEnvironment, firstLine, ROOT, runBeacon } from '../../scripts/program.ts'
import { acquainted, Scene } from './processes.ts'

const PAGE = readFileSync(join(ROOT, 'docs/manual-registration.md'), 'utf8')
const BLOCKS = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)
const NAME = 'alice.chronym'

const scene = new Scene()
afterAll(() => scene.end())

it('registers a name with nothing but the commands of the page, and the daemon keeps it', async () => {
  const network = scene.network()
  const dataDir = scene.directory()
  const owner = await scene.daemon(['--network', network, '--data-dir', dataDir])
  const joining = ['--network', network, '--bootstrap', owner.address]
  const other = await scene.daemon([...joining, '--data-dir', scene.directory()])
  await acquainted(owner, other)
  const { url: beacon } = await firstLine<{ url: string }>(scene.child(runBeacon(['--network', network])))

  const directory = scene.directory()
  const chronym = join(directory, 'bin', 'chronym')
  mkdirSync(dirname(chronym))
  writeFileSync(chronym, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'src/cli/main.ts')}" "$@"\n`)
  chmodSync(chronym, 0o755)
  const env = {
    ...cleanEnvironment(),
    PATH: [dirname(chronym), dirname(process.execPath), process.env['PATH']].join(':'),
    ...{ API: owner.summary.api_url, BEACON: beacon, CHRONYM_DATA_DIR: dataDir }
  }
  const shell = spawn('sh', ['-e', '-c', BLOCKS.join('\n')], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')])
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"success":true') as string
  })

  expect((await owner.request('GET', '/api/owned-names')).body, 'its seed has the key').toEqual([NAME])
  expect((await other.request('GET', `/api/zone/${NAME}`)).body).toMatchObject({
    serial: 1,
    records: { www: [{ type: 'A', value: '192.0.2.1' }] }
  })
})
