import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { launcherOf } from '../../../../src/cli/commands/daemon/daemon.ts'
import { ask, daemon, url } from '../../fake-daemon.ts'
import { temporary } from '../../../temporary.ts'

const ADDRESS = 'http://127.0.0.1:7468/#login=secret'
const directory = temporary()

/** The launchers of this machine, which write down what they are given and exit with `code`. */
function launcher(code: number): { env: Record<string, string>; opened: () => string } {
  const folder = mkdtempSync(join(directory, `exit-${code}-`))
  const note = join(folder, 'opened')
  for (const name of ['xdg-open', 'open'])
    writeFileSync(join(folder, name), `#!/bin/sh\necho "$1" > '${note}'\nexit ${code}\n`, { mode: 0o755 })
  return { env: { PATH: folder, DISPLAY: ':0' }, opened: () => readFileSync(note, 'utf8').trim() }
}

it.each([
  ['linux', { DISPLAY: ':0' }, { command: 'xdg-open', args: [ADDRESS] }],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, { command: 'xdg-open', args: [ADDRESS] }],
  ['linux', { DISPLAY: '' }, undefined],
  ['darwin', {}, { command: 'open', args: [ADDRESS] }],
  ['darwin', { SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' }, undefined],
  ['win32', {}, { command: 'cmd.exe', args: ['/d', '/s', '/c', `"start "" "${ADDRESS}""`] }]
] as const)('knows what opens an address on %s with %j', (platform, env, expected) => {
  expect(launcherOf(ADDRESS, platform, env)).toEqual(expected)
})

describe('chronym dashboard', () => {
  const link = () => `${url}/#login=${'L'.repeat(43)}`

  it('opens the link in a browser, and shows it to nobody else', async () => {
    const { env, opened } = launcher(0)
    const { exitCode, stdout, stderr } = await ask(['dashboard'], { terminal: true, env })
    expect([exitCode, stdout, opened()]).toEqual([0, `The dashboard opens in your browser: ${url}/\n`, link()])
    expect(stderr).toBe('No window? chronym dashboard --no-open prints a link.\n')
    expect(daemon.requests.filter(({ path }) => path !== '/api/login-links')).toEqual([])
  })

  it.each([
    ['no browser can be opened', ['dashboard'], launcher(3).env, true],
    ['the launcher is missing', ['dashboard'], { PATH: '/nonexistent', DISPLAY: ':0' }, true],
    ['it is asked not to open one', ['dashboard', '--no-open'], launcher(0).env, true],
    ['nobody sits at a terminal', ['dashboard'], launcher(0).env, false]
  ])('prints the link where %s', async (_why, args, env, terminal) => {
    const { exitCode, stdout, stderr } = await ask(args, { terminal, env })
    expect([exitCode, stdout]).toEqual([0, `${link()}\n`])
    expect(stderr).toBe('The link logs in once, within a minute. Keep it to yourself.\n')
  })

  it('prints it as JSON when asked', async () => {
    const { stdout } = await ask(['dashboard', '--json'], { terminal: true, env: { DISPLAY: ':0' } })
    expect(JSON.parse(stdout)).toEqual({ url: link(), expires_at: '2000-01-01T00:01:00.000Z' })
  })
})
