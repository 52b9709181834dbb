import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SYSTEM_IDS } from '../../../../src/cli/dns/setup/systems.ts'
import { DNS_BODY, DNSKEY_DATA, DnsScene, say } from '../../dns/scene.ts'
import { MAIN_TOKEN } from '../../../api/helpers/world.ts'
import { ask, daemon, shown, url } from '../../fake-daemon.ts'
import { DaemonScene } from '../../daemon-scene.ts'
import { cli, says } from '../../harness.ts'

const scene = new DnsScene()
beforeEach(() => (shown.dns = DNS_BODY))
const daemons = new DaemonScene()
afterEach(async () => {
  await scene.end()
  await daemons.end()
})

const UNBOUND = {
  '/etc/resolv.conf': 'nameserver 127.0.0.1\n',
  '/etc/unbound/unbound.conf': 'include-toplevel: "/etc/unbound/unbound.conf.d/*.conf"\n',
  '/etc/unbound/unbound.conf.d/root.conf': 'server:\n'
}
const OURS = '/etc/unbound/unbound.conf.d/chronym.conf'
const { ds, dnskey } = DNS_BODY.anchor!

describe('dns anchor', () => {
  it('prints DS and DNSKEY, in a pipe too', async () => {
    expect((await ask(['dns', 'anchor'])).stdout).toBe(`${ds}\n${dnskey}\n`)
    expect(JSON.parse((await ask(['dns', 'anchor', '--json'])).stdout)).toEqual({
      zone: 'chronym.',
      ds,
      dnskey,
      key_tag: 4711,
      algorithm: 13
    })
  })

  it.each(['unbound', 'bind', 'dnsmasq', 'resolved'])(
    'prints the configuration of %s, to save or to read',
    async (name) => {
      const { stdout } = await ask(['dns', 'anchor', '--for', name])
      expect(stdout).toMatch(/^# \/etc\//u)
      expect(stdout).toContain('AB'.repeat(32))
      const { files } = JSON.parse((await ask(['dns', 'anchor', '--for', name, '--json'])).stdout) as {
        files: { path: string; content: string }[]
      }
      for (const { path, content } of files) expect(stdout).toContain(`${path}\n${content}`)
    }
  )
})

describe('dns stats and flush', () => {
  it('show what the daemon counts', async () => {
    expect(JSON.parse((await ask(['dns', 'stats', '--json'])).stdout)).toEqual(DNS_BODY.stats)
    expect((await ask(['dns', 'stats'], { terminal: true })).stdout).toContain('queries      udp 1,234\n')
    shown.dns = { ...DNS_BODY, stats: null }
    expect(await ask(['dns', 'stats'])).toMatchObject(says(6, 'CLI-DNS-003'))
  })

  it('forgets one name, or all', async () => {
    expect((await ask(['dns', 'flush', 'alice.chronym'], { terminal: true })).stdout).toBe(
      '1 name forgotten: alice.chronym\n'
    )
    expect(daemon.requests.at(-1)?.body).toEqual({ name: 'alice.chronym' })
    expect(JSON.parse((await ask(['dns', 'flush', '--json'])).stdout)).toEqual({ success: true, flushed: 2 })
    expect(daemon.requests.at(-1)?.body).toEqual({})
  })
})

describe('dns setup', () => {
  it('shows what it found and what it would write, and writes nothing', async () => {
    const root = scene.tree(UNBOUND, ['unbound'])
    const { exitCode, stdout } = await ask(['dns', 'setup', '--root', root], { terminal: true })
    expect(exitCode).toBe(0)
    expect(stdout).toContain('found    unbound (it runs; programs ask it), resolv.conf')
    expect(stdout).toContain('asks     127.0.0.1:7453, [::1]:7453 for .chronym alone')
    expect(stdout).toContain(`${OURS} (new)\n  server:\n`)
    expect(stdout).toContain('runs  unbound-checkconf\nruns  systemctl restart unbound\n')
    expect(existsSync(join(root, OURS))).toBe(false)
    expect(JSON.parse((await ask(['dns', 'setup', '--root', root, '--json'])).stdout)).toMatchObject({
      zone: 'chronym.',
      system: 'unbound',
      files: [{ path: OURS, state: 'absent' }],
      commands: [['unbound-checkconf'], ['systemctl', 'restart', 'unbound']],
      obstacle: null
    })
  })

  it.each([
    [7453, undefined, undefined],
    [5399, undefined, /If dns\.listen does not name port 5399, the daemon chose that port by itself/u],
    [5399, ['127.0.0.1:5399'], undefined],
    [5399, ['127.0.0.1:0'], /The daemon chose port 5399 by itself/u]
  ])('says of port %d, with dns.listen = %j, whether it stays', async (port, listen, remark) => {
    const root = scene.tree(UNBOUND, ['unbound'])
    shown.dns = { ...DNS_BODY, listen: [{ transport: 'udp', address: '127.0.0.1', port }] }
    shown.fields = listen && [{ field: 'dns.listen', value: listen, source: 'flag' }]
    const { stdout } = await ask(['dns', 'setup', '--root', root], { terminal: true })
    if (remark === undefined) expect(stdout).not.toMatch(/port \d+ by itself/u)
    else expect(stdout).toMatch(remark)
  })

  it('believes no zone but that of a built-in network, or the one named', async () => {
    const root = scene.tree(UNBOUND, ['unbound'])
    shown.dns = { ...DNS_BODY, zone: 'com.' }
    const refused = await ask(['dns', 'setup', '--apply', '--yes', '--root', root])
    expect(refused).toMatchObject(says(2, '--zone com'))
    expect(existsSync(join(root, OURS))).toBe(false)
    const other = await ask(['dns', 'setup', '--root', root, '--zone', 'lab'])
    expect(other).toMatchObject(says(2, 'and not lab\n'))
    shown.dns = { ...DNS_BODY, zone: 'lab.' }
    expect(JSON.parse((await ask(['dns', 'setup', '--root', root, '--zone', 'Lab.', '--json'])).stdout)).toMatchObject({
      zone: 'lab.'
    })
  })

  it('writes after a yes, runs nothing on another root, and takes all back without a daemon', async () => {
    const root = scene.tree(UNBOUND, ['unbound'])
    const apply = ['dns', 'setup', '--apply', '--root', root]
    expect(await ask(apply)).toMatchObject(says(2, '--yes'))
    expect(existsSync(join(root, OURS))).toBe(false)
    const { exitCode, stdout } = await ask([...apply, '--yes'], { terminal: true })
    expect([exitCode, stdout]).toEqual([
      0,
      `wrote ${OURS}\nnot run here: systemctl restart unbound\nTest it: chronym --api ${url} dns test\n`
    ])
    expect(readFileSync(join(root, OURS), 'utf8')).toContain(ds)
    const undo = await cli(['--api', 'http://127.0.0.1:1', 'dns', 'setup', '--undo', '--root', root, '--json'])
    expect(JSON.parse(undo.stdout)).toEqual({
      removed: [OURS],
      commands: [{ command: ['systemctl', 'restart', 'unbound'], code: null }]
    })
    expect(existsSync(join(root, OURS))).toBe(false)
    expect((await ask(['dns', 'setup', '--undo', '--root', root], { terminal: true })).stdout).toBe(
      'nothing to take back\n'
    )
  })

  it('writes nothing that a program says which only holds the port', async () => {
    const root = scene.tree(UNBOUND, ['unbound'])
    const { url: lie, seen } = await daemons.impostor((request, response) => {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(request.url === '/api/dns' ? DNS_BODY : {}))
    })
    const directory = daemons.dataDirectory(lie)
    const setup = ['dns', 'setup', '--root', root]
    const apply = [...setup, '--zone', 'chronym', '--system', 'unbound', '--apply', '--yes']
    const whole = `chronym --data-dir ${directory} dns setup --zone chronym --system unbound --apply`
    const own = { env: { CHRONYM_DATA_DIR: directory } }
    const none = { env: { CHRONYM_DATA_DIR: daemons.temporary() + '/none' } }
    for (const [args, settings, exitCode, cure] of [
      [['--data-dir', directory, ...apply], {}, 3, 'Start it: chronym daemon'],
      [['--api', lie, ...apply], own, 3, whole],
      [['--api', lie, '--token', MAIN_TOKEN, ...apply], own, 3, whole],
      // As root, who has no directory.
      [['--api', lie, ...apply], none, 5, 'chronym --data-dir DIR dns setup --zone chronym --system unbound --apply'],
      [apply, { env: { ...none.env, SUDO_USER: 'me' } }, 3, '(its user sees it with `chronym dns setup`): sudo chronym']
    ] as const) {
      const result = await cli(args, settings)
      expect(result).toMatchObject({ ...says(exitCode, cure), stdout: '' })
    }
    expect(existsSync(join(root, OURS))).toBe(false)
    expect(seen.join('\n')).not.toContain(MAIN_TOKEN)
    const shows = await cli(['--api', lie, ...setup], { ...own, terminal: true })
    expect(shows.stdout).toContain(`Write it: chronym --data-dir ${directory} dns setup --apply\n`)
  })

  it('writes what the daemon of the directory says, which proves itself', async () => {
    const root = scene.tree(UNBOUND, ['unbound'])
    const { url, world } = await daemons.daemon()
    world.dns.view = () => DNS_BODY
    const args = ['dns', 'setup', '--apply', '--yes', '--root', root]
    expect(await cli(['--data-dir', daemons.dataDirectory(url), ...args])).toMatchObject({ exitCode: 0, stderr: '' })
    expect(readFileSync(join(root, OURS), 'utf8')).toContain(ds)
  })

  it('says why a resolver cannot be set up; --apply then ends with 6', async () => {
    const root = scene.tree({ '/etc/resolv.conf': 'nameserver 192.0.2.53\n' })
    expect(await ask(['dns', 'setup', '--root', root], { terminal: true })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('but   resolv.conf alone cannot')
    })
    expect(await ask(['dns', 'setup', '--apply', '--yes', '--root', root])).toMatchObject(says(6, 'CLI-DNS-001'))
  })

  it('keeps its hands off a file of somebody else', async () => {
    const root = scene.tree({ ...UNBOUND, [OURS]: 'mine\n' }, ['unbound'])
    for (const what of ['--apply', '--undo'])
      expect(await ask(['dns', 'setup', what, '--yes', '--root', root])).toMatchObject(says(6, `did not write ${OURS}`))
    expect(readFileSync(join(root, OURS), 'utf8')).toBe('mine\n')
  })

  it('says that dnsmasq needs dns.forward for aliases, unless the daemon has it', async () => {
    const root = scene.tree({ '/etc/resolv.conf': 'nameserver 127.0.0.1\n' })
    const remarks = async (system: string, forwarding: boolean): Promise<string> => {
      shown.dns = { ...DNS_BODY, forwarding }
      return (await ask(['dns', 'setup', '--system', system, '--root', root])).stdout
    }
    for (const system of ['dnsmasq', 'networkmanager-dnsmasq']) {
      expect(await remarks(system, false)).toContain('chronym config add dns.forward')
      expect(await remarks(system, true)).not.toContain('dns.forward')
    }
    expect(await remarks('unbound', false)).not.toContain('dns.forward')
  })

  it('takes the resolver that is named, and no two tasks at once', async () => {
    const root = scene.tree(UNBOUND, ['unbound'])
    for (const system of SYSTEM_IDS) {
      const { stdout } = await ask(['dns', 'setup', '--system', system, '--root', root, '--json'])
      expect(JSON.parse(stdout)).toMatchObject({ system })
    }
    expect((await ask(['dns', 'setup', '--system', 'bogus'])).exitCode).toBe(2)
    expect((await ask(['dns', 'setup', '--apply', '--undo'])).exitCode).toBe(2)
  })

  it('asks the daemon without a token for what it only shows', async () => {
    await ask(['dns', 'setup', '--root', scene.tree(UNBOUND, ['unbound'])])
    expect(daemon.requests.at(-1)).toMatchObject({ path: '/api/dns' })
    expect(daemon.requests.at(-1)?.headers.get('Authorization')).toBeNull()
  })
})

describe('dns test', () => {
  it('ends with 1 where programs ask somebody else, and says so', async () => {
    const port = await scene.nameServer((query) => say(query, { ad: true, data: [DNSKEY_DATA] }))
    shown.dns = { ...DNS_BODY, listen: [{ transport: 'udp', address: '127.0.0.1', port }] }
    const root = scene.tree({ '/etc/resolv.conf': '# none\n' })
    const { exitCode, stdout } = await ask(['dns', 'test', '--root', root], { terminal: true })
    expect(exitCode).toBe(1)
    expect(stripVTControlCharacters(stdout)).toContain(`ok    server    127.0.0.1:${port} answers for chronym.`)
    expect(stdout).toContain('This machine does not resolve .chronym through the daemon.')
    expect(JSON.parse((await ask(['dns', 'test', '--root', root, '--json'])).stdout)).toMatchObject({
      reaches: false,
      steps: [
        { name: 'server', state: 'ok' },
        { name: 'resolver', state: 'failed' }
      ]
    })
  })

  it.each(['alice.example', 'a..chronym', 'a*.chronym', `${'a'.repeat(64)}.chronym`])(
    'refuses %s, which is not a name of the zone',
    async (name) => expect(await ask(['dns', 'test', name])).toMatchObject({ exitCode: 2, stdout: '' })
  )
})
