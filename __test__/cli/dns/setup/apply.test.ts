import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { apply, authorOf, checkWritable, planUndo, stateOf, undo } from '../../../../src/cli/dns/setup/apply.ts'
import type { Host } from '../../../../src/cli/dns/setup/host.ts'
import type { Plan, SystemId } from '../../../../src/cli/dns/setup/systems.ts'
import { WRITTEN } from '../../../../src/cli/dns/setup/written.ts'
import type { Route } from '../../../../src/cli/dns/route.ts'
import { DnsScene, hostOf, ON_PORT_53, read, ROUTE } from '../scene.ts'

const scene = new DnsScene()
afterEach(() => scene.end())

const FILES = {
  '/etc/systemd/resolved.conf': '[Resolve]\n#DNS=\n',
  '/etc/unbound/unbound.conf': 'include-toplevel: "/etc/unbound/unbound.conf.d/*.conf"\n',
  '/etc/unbound/unbound.conf.d/root-auto-trust-anchor-file.conf': 'server:\n',
  '/etc/dnsmasq.conf': 'conf-dir=/etc/dnsmasq.d\n',
  '/etc/dnsmasq.d/README': 'of the package\n'
}
const DROP_IN = '/etc/systemd/resolved.conf.d/chronym.conf'
const RUNS = ['unbound', 'dnsmasq', 'NetworkManager', 'systemd-resolved']
const planOf = (id: SystemId, host: Host, route: Route = ROUTE): Plan =>
  WRITTEN.find((each) => each.id === id)!.plan(host, route)
const undoing = (host: Host) => planUndo(host, WRITTEN, ['chronym'])

/** Every file and directory, with what it holds. */
function picture(root: string): Record<string, string | null> {
  return Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((path) => [path, statSync(join(root, path)).isFile() ? read(root, path) : null])
  )
}

describe.each<[SystemId, string[]]>([
  ['systemd-resolved', ['/etc/systemd/resolved.conf.d/chronym.conf', '/etc/dnssec-trust-anchors.d/chronym.positive']],
  ['dnsmasq', ['/etc/dnsmasq.d/chronym.conf']],
  ['unbound', ['/etc/unbound/unbound.conf.d/chronym.conf']]
])('%s', (id, paths) => {
  it('gets its files, is checked and reloaded, and all of it is taken back', () => {
    const root = scene.tree(FILES, RUNS)
    const host = hostOf(root)
    const before = picture(root)
    const plan = planOf(id, host)
    host.ran.length = 0
    const { written, commands } = apply(host, plan)
    expect(written).toEqual(paths)
    expect(host.ran).toEqual([...(plan.check === undefined ? [] : [plan.check]), ...plan.commands])
    expect(commands.map(({ code }) => code)).toEqual(plan.commands.map(() => 0))
    for (const path of paths) {
      expect(authorOf(read(root, path))).toBe('ours')
      expect(statSync(join(root, path)).mode & 0o777).toBe(0o644)
    }
    host.ran.length = 0
    expect(undo(host, undoing(host)).removed).toEqual(paths)
    expect(host.ran).toEqual(plan.commands)
    expect(picture(root)).toEqual(before)
  })

  it('is left alone where a file of somebody else is in the way', () => {
    const root = scene.tree({ ...FILES, [paths.at(-1)!]: 'mine\n' }, RUNS)
    const host = hostOf(root)
    const before = picture(root)
    const refused = expect.objectContaining({ code: 'CLI-DNS-001', message: expect.stringContaining(paths.at(-1)!) })
    expect(() => checkWritable(host, planOf(id, host).files, '')).toThrow(refused)
    expect(() => undoing(host)).toThrow(refused)
    expect(picture(root)).toEqual(before)
  })
})

describe('applying', () => {
  it('lets the users of resolvers read its files, whatever the umask of root', () => {
    const root = scene.tree({})
    const host = hostOf(root)
    const former = process.umask(0o077)
    try {
      apply(host, planOf('systemd-resolved', host))
    } finally {
      process.umask(former)
    }
    const modeOf = (path: string) => statSync(join(root, path)).mode & 0o777
    expect([modeOf(dirname(DROP_IN)), modeOf(DROP_IN)]).toEqual([0o755, 0o644])
  })

  it('again changes nothing, and with another address replaces what it wrote', () => {
    const root = scene.tree(FILES, RUNS)
    const host = hostOf(root)
    const [file] = planOf('systemd-resolved', host).files
    expect(stateOf(host, file!)).toBe('absent')
    apply(host, planOf('systemd-resolved', host))
    expect(stateOf(host, file!)).toBe('same')
    expect(apply(host, planOf('systemd-resolved', host)).written).toEqual([])
    const [moved] = planOf('systemd-resolved', host, ON_PORT_53).files
    expect(stateOf(host, moved!)).toBe('outdated')
    apply(host, planOf('systemd-resolved', host, ON_PORT_53))
    expect(read(root, DROP_IN)).toContain('DNS=127.0.0.1:53\n')
    // The directory that the first run made still goes with the file.
    undo(host, undoing(host))
    expect(existsSync(join(root, dirname(DROP_IN)))).toBe(false)
  })

  it('keeps a directory that it made while others have files in it', () => {
    const root = scene.tree(FILES)
    const host = hostOf(root)
    apply(host, planOf('systemd-resolved', host))
    writeFileSync(join(root, '/etc/systemd/resolved.conf.d/corp.conf'), '[Resolve]\n')
    undo(host, undoing(host))
    expect(readdirSync(join(root, dirname(DROP_IN)))).toEqual(['corp.conf'])
  })

  it('leaves everything as it was where the resolver refuses its configuration', () => {
    const root = scene.tree(FILES, RUNS)
    const host = hostOf(root, { 'unbound-checkconf': { code: 1, output: 'syntax error\n\u001b[2J' } })
    const before = picture(root)
    expect(() => apply(host, planOf('unbound', host))).toThrow(
      expect.objectContaining({
        code: 'CLI-DNS-004',
        exitCode: 8,
        message: String.raw`unbound-checkconf ended with 1: syntax error; \u001b[2J. Nothing was changed.`
      })
    )
    expect(picture(root)).toEqual(before)
    expect(host.ran).not.toContainEqual(['systemctl', 'restart', 'unbound'])
  })

  it('puts a former version back where the resolver refuses the new one', () => {
    const root = scene.tree(FILES, RUNS)
    apply(hostOf(root), planOf('unbound', hostOf(root)))
    const before = picture(root)
    const host = hostOf(root, { 'unbound-checkconf': { code: 1, output: '' } })
    expect(() => apply(host, planOf('unbound', host, ON_PORT_53))).toThrow()
    expect(picture(root)).toEqual(before)
  })

  it('takes the first file back where the second one cannot be written', () => {
    const root = scene.tree({ ...FILES, '/etc/dnssec-trust-anchors.d': 'a file in place of the directory' }, RUNS)
    const host = hostOf(root)
    const before = picture(root)
    expect(() => apply(host, planOf('systemd-resolved', host))).toThrow(
      expect.objectContaining({ code: 'CLI-DNS-004', message: expect.stringContaining('Nothing was changed.') })
    )
    expect(picture(root)).toEqual(before)
  })

  it('says where a reload failed that the files are there, and how to take them back', () => {
    const root = scene.tree(FILES, RUNS)
    const host = hostOf(root, { 'systemctl restart unbound': { code: null, output: 'spawn systemctl ENOENT' } })
    expect(() => apply(host, planOf('unbound', host))).toThrow(
      expect.objectContaining({
        code: 'CLI-DNS-004',
        message: expect.stringContaining('spawn systemctl ENOENT. The files are written.'),
        cure: expect.stringContaining('--undo')
      })
    )
    expect(existsSync(join(root, '/etc/unbound/unbound.conf.d/chronym.conf'))).toBe(true)
  })

  it('needs root, and says how', () => {
    const host = { ...hostOf(scene.tree({})), mayWrite: false }
    expect(() => checkWritable(host, planOf('systemd-resolved', host).files, 'sudo this')).toThrow(
      expect.objectContaining({ code: 'CLI-DNS-002', exitCode: 5, cure: 'sudo this' })
    )
  })
})

describe('taking back', () => {
  it('refuses a file that somebody changed, and removes no other one', () => {
    const root = scene.tree(FILES, RUNS)
    const host = hostOf(root)
    apply(host, planOf('systemd-resolved', host))
    const path = '/etc/dnssec-trust-anchors.d/chronym.positive'
    writeFileSync(join(root, path), `${read(root, path)}; a remark\n`)
    const before = picture(root)
    expect(() => undoing(host)).toThrow(
      expect.objectContaining({ code: 'CLI-DNS-001', message: expect.stringContaining('somebody changed') })
    )
    expect(() => checkWritable(host, planOf('systemd-resolved', host).files, '')).toThrow('somebody changed')
    expect(picture(root)).toEqual(before)
  })

  it('finds the files of another zone too, and does nothing where there are none', () => {
    const root = scene.tree(FILES, RUNS)
    const host = hostOf(root)
    expect(undoing(host)).toEqual({ files: [], commands: [] })
    apply(host, planOf('unbound', host, { ...ROUTE, tld: 'example' }))
    expect(undoing(host)).toEqual({
      files: ['/etc/unbound/unbound.conf.d/example.conf'],
      commands: [['systemctl', 'restart', 'unbound']]
    })
  })

  it('reloads no resolver that does not run', () => {
    const root = scene.tree(FILES)
    const host = hostOf(root)
    apply(host, planOf('dnsmasq', host))
    expect(undoing(host)).toMatchObject({ files: ['/etc/dnsmasq.d/chronym.conf'], commands: [] })
  })
})
