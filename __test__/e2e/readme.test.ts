/**
 * README.md, executed: the block of "Try it" word by word, on a machine of its own with the usual ports. `npm` is a
 * stand-in that starts what the set-up has made; `npm start` of a checkout is the walk of scripts/test-install.ts.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { cleanEnvironment, ROOT } from '../../scripts/program.ts'
import { PATIENCE_MS } from '../wait-for.ts'
import { Scene } from './processes.ts'

const scene = new Scene()
afterAll(() => scene.end())

const NPM = `#!/bin/sh -e
case "$*" in
  start) exec "$NODE" ${join(ROOT, 'src/daemon/main.ts')} ;;
  "run --silent chronym -- "*) shift 4; exec "$NODE" ${join(ROOT, 'src/cli/main.ts')} "$@" ;;
  *) exit 64 ;;
esac
`

it('has a new user register, publish, resolve and share a name, and any program look it up', () => {
  needPackages(['bind9-dnsutils', 'iproute2'])
  const block = /^```sh\n(npm start[^]*?)^```$/mu.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))![1]!
  const [start, ...others] = block.trimEnd().split('\n')
  const directory = scene.directory()
  mkdirSync(join(directory, 'bin'))
  writeFileSync(join(directory, 'bin/npm'), NPM, { mode: 0o755 })
  const script = `
ip link set lo up
${start!.replace(/#.*/u, '')} > log 2>&1 &
for try in $(seq 600); do grep -q 'API\\|http://127.0.0.1:7468' log && break; [ -d /proc/$! ] || break; sleep 0.2; done
grep -q 7468 log || { cat log >&2; exit 9; }
set -e
${others.join('\n')}
kill $!`
  const mapping = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    [...mapping, '--net', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c', script],
    {
      cwd: directory,
      encoding: 'utf8',
      timeout: PATIENCE_MS,
      killSignal: 'SIGKILL',
      env: {
        ...cleanEnvironment(),
        NODE: process.execPath,
        HOME: directory,
        PATH: [join(directory, 'bin'), join(programOf('bind9-dnsutils'), '..'), process.env['PATH']].join(':')
      }
    }
  )
  expect(status, stdout + stderr).toBe(0)
  // The comments of the page promise this.
  expect(stdout).toMatch(/^alice\.chronym is registered: 1,000,000 squarings, .* in all\.$/mu)
  expect(stdout).toMatch(/published serial 2/u)
  expect(stdout).toMatch(/^owner +this daemon \([0-9a-f]{64}\)$/mu)
  expect(stdout).toMatch(/^@ +A +192\.0\.2\.10$/mu)
  expect(stdout).toMatch(/^coded name +alice--[0-9a-z]{6}\.chronym$/mu)
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('192.0.2.10')
})
