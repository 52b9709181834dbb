import { afterEach, describe, expect, it } from 'vitest'
import { chooseSystem, findSystems } from '../../../../src/cli/dns/setup/choose.ts'
import { createHost } from '../../../../src/cli/dns/setup/host.ts'
import { SYSTEM_IDS, type Plan, type SystemId } from '../../../../src/cli/dns/setup/systems.ts'
import { checkConfig } from '../../../../src/config/config.ts'
import { configuredDns } from '../../../../src/config/dns.ts'
import { DnsScene, hostOf, ON_PORT_53, ROUTE } from '../scene.ts'

const scene = new DnsScene()
afterEach(() => scene.end())

const STUB = { '/etc/resolv.conf': 'nameserver 127.0.0.53\noptions edns0 trust-ad\n' }
const LOCAL = { '/etc/resolv.conf': 'search home\nnameserver 127.0.0.1\n' }
const PROVIDER = { '/etc/resolv.conf': 'nameserver 192.0.2.53\nnameserver 127.0.0.53\n' }
const UNBOUND = { '/etc/unbound/unbound.conf': 'include-toplevel: "/etc/unbound/unbound.conf.d/*.conf"\n' }
const DNSMASQ = { '/etc/dnsmasq.conf': '#conf-dir=/x\nconf-dir=/etc/dnsmasq.d/,*.conf\n', '/etc/dnsmasq.d/README': '' }
const MANAGED = { '/etc/NetworkManager/conf.d/dns.conf': '[main]\n# dns=none\ndns=dnsmasq\n' }

function chosen(files: Record<string, string>, runs: string[], platform: NodeJS.Platform = 'linux'): SystemId {
  return chooseSystem(findSystems(createHost(scene.tree(files, runs), platform)), undefined).id
}

const planOf = (
  id: SystemId,
  files: Record<string, string> = {},
  answers: Parameters<typeof hostOf>[1] = {},
  route = ROUTE
): Plan => chooseSystem([], id).plan(hostOf(scene.tree(files), answers), route)

const WITH_LINK = { 'resolvectl dns': { output: 'Global:\nLink 2 (eth0): 192.0.2.53\nLink 3 (wg0):' } }

describe('the resolver that is set up', () => {
  it.each<[string, SystemId, Record<string, string>, string[], NodeJS.Platform?]>([
    ['systemd-resolved, by its stub', 'systemd-resolved', STUB, ['systemd-resolved']],
    [
      'systemd-resolved, by nsswitch',
      'systemd-resolved',
      { ...PROVIDER, '/etc/nsswitch.conf': 'hosts: files resolve dns' },
      ['systemd-resolved', 'unbound']
    ],
    [
      'unbound, asked while systemd-resolved runs too',
      'unbound',
      { ...LOCAL, ...UNBOUND },
      ['systemd-resolved', 'unbound']
    ],
    ['dnsmasq', 'dnsmasq', { ...LOCAL, ...DNSMASQ }, ['dnsmasq']],
    [
      'the dnsmasq of NetworkManager',
      'networkmanager-dnsmasq',
      { ...LOCAL, ...MANAGED, ...DNSMASQ },
      ['NetworkManager', 'dnsmasq']
    ],
    [
      'dnsmasq beside a NetworkManager that does not run it',
      'dnsmasq',
      { ...LOCAL, ...DNSMASQ },
      ['NetworkManager', 'dnsmasq']
    ],
    [
      'systemd-resolved beside a dnsmasq for virtual machines',
      'systemd-resolved',
      { ...STUB, ...DNSMASQ },
      ['systemd-resolved', 'dnsmasq']
    ],
    ['a running one that nobody asks, for want of another', 'unbound', { ...PROVIDER, ...UNBOUND }, ['unbound']],
    ['resolv.conf alone', 'resolv.conf', PROVIDER, ['sshd']],
    ['macOS', 'macos', { '/etc/resolv.conf': 'nameserver 192.0.2.53\n' }, [], 'darwin'],
    ['Windows', 'windows', {}, [], 'win32']
  ])('is %s', (_what, id, files, runs, platform) => expect(chosen(files, runs, platform)).toBe(id))

  it('is CLI-DNS-001 where there is none, and the one that is named all the same', () => {
    expect(() => chosen({}, [])).toThrow(expect.objectContaining({ code: 'CLI-DNS-001', exitCode: 6 }))
    for (const id of SYSTEM_IDS) expect(chooseSystem([], id).id).toBe(id)
  })
})

describe('systemd-resolved', () => {
  it('gets a delegate from version 258 on, whatever other servers there are', () => {
    const plan = planOf(
      'systemd-resolved',
      { '/etc/systemd/resolved.conf': '[Resolve]\nDNS=192.0.2.53\n' },
      { 'resolvectl --version': { output: 'systemd 258 (258.1-1)\n+PAM' } }
    )
    expect(plan.obstacle).toBeUndefined()
    expect(plan.files.map(({ path }) => path)).toEqual([
      '/etc/systemd/dns-delegate.d/chronym.dns-delegate',
      '/etc/dnssec-trust-anchors.d/chronym.positive'
    ])
    expect(plan.commands).toEqual([['systemctl', 'restart', 'systemd-resolved']])
  })

  it('gets a drop-in before, where each link brings its own servers', () => {
    const old = { 'resolvectl --version': { output: 'systemd 252 (252.36-1~deb12u1)' } }
    const plan = planOf(
      'systemd-resolved',
      { '/etc/systemd/resolved.conf': '#DNS=\n[Resolve]\n' },
      { ...old, ...WITH_LINK }
    )
    expect(plan.obstacle).toBeUndefined()
    expect(plan.files[0]!.path).toBe('/etc/systemd/resolved.conf.d/chronym.conf')
  })

  it.each([
    ['/etc/systemd/resolved.conf', 'DNS=192.0.2.53'],
    ['/run/systemd/resolved.conf.d/vpn.conf', 'DNS = 192.0.2.53'],
    ['/usr/lib/systemd/resolved.conf.d/vendor.conf', 'DNS=192.0.2.53#dns.example']
  ])('gets none where %s names servers for all links: names would go to any of them', (path, line) => {
    expect(planOf('systemd-resolved', { [path]: `[Resolve]\n${line}\n` }, WITH_LINK).obstacle?.detail).toContain(path)
  })

  it('gets none where no link brings a server: the fall-back servers would be lost', () => {
    expect(
      planOf('systemd-resolved', {}, { 'resolvectl dns': { output: 'Global:\nLink 2 (eth0):' } }).obstacle
    ).toBeDefined()
  })
})

describe('dnsmasq', () => {
  it('gets the key where it was built with DNSSEC, and is tested before it restarts', () => {
    const built = (options: string): Plan =>
      planOf('dnsmasq', DNSMASQ, {
        'dnsmasq --version': { output: `Compile time options: IPv6 ${options} loop-detect` }
      })
    expect(built('DNSSEC').files[0]!.body).toContain('trust-anchor=chronym,4711,13,2,')
    expect(built('no-DNSSEC').files[0]!.body).not.toContain('trust-anchor')
    expect(built('DNSSEC')).toMatchObject({
      check: ['dnsmasq', '--test'],
      commands: [['systemctl', 'restart', 'dnsmasq']]
    })
  })

  it('is read from its directory by its file or, in Debian, by its service; else that is said', () => {
    expect(planOf('dnsmasq', DNSMASQ).obstacle).toBeUndefined()
    expect(
      planOf('dnsmasq', { '/etc/default/dnsmasq': 'CONFIG_DIR=/etc/dnsmasq.d,.dpkg-dist\n' }).obstacle
    ).toBeUndefined()
    expect(planOf('dnsmasq', { '/etc/dnsmasq.conf': '#conf-dir=/etc/dnsmasq.d\n' }).obstacle?.cure).toContain(
      'conf-dir='
    )
  })
})

describe('unbound', () => {
  it('is checked before it restarts; where it does not read the directory, that is said', () => {
    const plan = planOf('unbound', UNBOUND)
    expect(plan).toMatchObject({ check: ['unbound-checkconf'], commands: [['systemctl', 'restart', 'unbound']] })
    expect(plan.obstacle).toBeUndefined()
    expect(planOf('unbound', { '/etc/unbound/unbound.conf': 'server:\n' }).obstacle?.cure).toContain('include-toplevel')
  })
})

describe('what is printed and never written', () => {
  it.each<[SystemId, string | undefined, RegExp, RegExp]>([
    [
      'networkmanager-dnsmasq',
      '/etc/NetworkManager/dnsmasq.d/chronym.conf',
      /^nmcli general reload/,
      /delete the file/
    ],
    ['macos', '/etc/resolver/chronym', /^dscacheutil -flushcache/, /delete the file/],
    [
      'windows',
      undefined,
      /Add-DnsClientNrptRule -Namespace '\.chronym' -NameServers '127\.0\.0\.1'/,
      /Remove-DnsClientNrptRule/
    ]
  ])('of %s says where, what to run and how to undo it', (id, path, command, undo) => {
    const { files, commands, obstacle } = planOf(id, {}, {}, ON_PORT_53)
    expect(files.map((file) => file.path)).toEqual(path === undefined ? [] : [path])
    expect(commands[0]!.join(' ')).toMatch(command)
    expect(obstacle).toMatchObject({
      detail: expect.stringContaining('writes nothing') as string,
      cure: expect.stringMatching(undo) as string
    })
  })

  it('of Windows says that its rules have no port, where it is another', () => {
    expect(planOf('windows')).toMatchObject({ commands: [], obstacle: { cure: expect.stringContaining('dns.listen') } })
  })
})

describe('resolv.conf alone', () => {
  it('cannot send one domain elsewhere; the remark says how to send all', () => {
    const { obstacle, files, remarks } = planOf('resolv.conf', PROVIDER)
    expect(obstacle?.cure).toContain('docs/dns.md')
    expect(files).toEqual([])
    expect(remarks[0]).toContain('dns.forward=["192.0.2.53:53","127.0.0.53:53"]')
  })

  it.each([
    [
      ['2001:db8::53', 'fe80::1%eth0', '127.0.0.1', '::1', '192.0.2.53'],
      ['[2001:db8::53]:53', '192.0.2.53:53']
    ],
    [['127.0.0.2', '192.0.2.53'], ['192.0.2.53:53']],
    [['fe80::1%eth0'], ['192.0.2.53:53']],
    [['not-an-address', '300.1.1.1'], ['192.0.2.53:53']]
  ])('with %j has the daemon ask %j: what its configuration takes, and not itself', (addresses, advised) => {
    const resolvConf = addresses.map((address) => `nameserver ${address}\n`).join('')
    const own = { ...ROUTE, servers: [{ address: '127.0.0.2', port: 53 }] }
    const { remarks } = planOf('resolv.conf', { '/etc/resolv.conf': resolvConf }, {}, own)
    const forward = JSON.parse(/dns\.forward=(?<list>\[.*\])\. Then/u.exec(remarks[0]!)!.groups!['list']!) as string[]
    expect(forward).toEqual(advised)
    const checked = checkConfig({ dns: { forward, listen: ['127.0.0.2:53', '127.0.0.1:53'] } }, 'test')
    expect(configuredDns(checked)?.forward).toHaveLength(advised.length)
    expect(remarks.some((remark) => remark.includes('in place of'))).toBe(!addresses.includes('192.0.2.53'))
  })
})
