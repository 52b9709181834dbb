/** The programs that read these files say whether they are right. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ask, isSilent, TYPE } from '../../../src/cli/dns/probe/ask.ts'
import { isFromDaemon } from '../../../src/cli/dns/probe/steps.ts'
import * as recipes from '../../../src/cli/dns/recipes.ts'
import { markedText } from '../../../src/cli/dns/setup/apply.ts'
import { OWN_HOST } from '../../../scripts/loopback.ts'
import { needPackages, programOf } from '../../../scripts/packages.ts'
import { PATIENCE_MS, waitFor } from '../../wait-for.ts'
import { DNSKEY_DATA, DnsScene, nameOf, ON_PORT_53, ROUTE, say, typeOf } from './scene.ts'

const scene = new DnsScene()
afterEach(() => scene.end())
beforeAll(() => needPackages(['unbound', 'dnsmasq-base', 'bind9-utils']))

function check(
  program: string,
  args: (path: string) => string[],
  text: string
): { status: number | null; said: string } {
  const path = join(scene.tree({}), 'file.conf')
  writeFileSync(path, text)
  const { status, stdout, stderr } = spawnSync(program, args(path), { encoding: 'utf8' })
  return { status, said: `${stdout}${stderr}` }
}

const unbound = (text: string) =>
  check(programOf('unbound').replace(/unbound$/u, 'unbound-checkconf'), (path) => [path], text)
const dnsmasq = (text: string) => check(programOf('dnsmasq-base'), (path) => ['--test', `--conf-file=${path}`], text)
const named = (text: string) => check(programOf('bind9-utils'), (path) => [path], text)

describe.each([
  ['7453', ROUTE],
  ['53', ON_PORT_53]
])('on port %s', (_port, route) => {
  it('unbound takes its file', () => {
    expect(unbound(markedText(recipes.unboundFile(route), true))).toMatchObject({ status: 0 })
  })

  it('dnsmasq takes its file', () => {
    const text = markedText(recipes.dnsmasqFile('/etc/dnsmasq.d/chronym.conf', route, true), false)
    expect(text).toContain('trust-anchor=')
    expect(dnsmasq(text)).toMatchObject({ status: 0 })
  })

  it('BIND takes its file', () => {
    expect(named(markedText(recipes.bindFile(route), false))).toEqual({ status: 0, said: '' })
  })
})

describe('the checkers', () => {
  it('refuse what is wrong, so their word counts', () => {
    const { digest } = ROUTE.anchor
    expect(unbound(recipes.unboundFile(ROUTE).body.replace('stub-addr: 127', 'stub-addr: x')).status).toBe(1)
    expect(dnsmasq(recipes.dnsmasqFile('', ROUTE, true).body.replace(digest, 'xyz')).status).toBe(1)
    expect(named(recipes.bindFile(ROUTE).body.replace('port 7453', 'port x')).status).toBe(1)
  })
})

describe('the files', () => {
  it('of unbound ask loopback, and validate by the key of the zone', () => {
    expect(recipes.unboundFile(ROUTE)).toEqual({
      path: '/etc/unbound/unbound.conf.d/chronym.conf',
      comment: '#',
      body: `server:
    # The daemon answers on loopback, which unbound does not ask by itself.
    do-not-query-localhost: no
    local-zone: "chronym." nodefault
    # A name may point into a private network.
    private-domain: "chronym."
    trust-anchor: "chronym. IN DS 4711 13 2 ${'AB'.repeat(32)}"

stub-zone:
    name: "chronym."
    stub-addr: 127.0.0.1@7453
    stub-addr: ::1@7453
`
    })
  })

  it('of BIND are a stub where the port is 53, else a forwarder, as a stub has no port', () => {
    expect(recipes.bindFile(ON_PORT_53).body).toContain('type static-stub;\n    server-addresses { 127.0.0.1; };')
    expect(recipes.bindFile(ON_PORT_53).body).not.toContain('#')
    expect(recipes.bindFile(ROUTE).body).toContain('# With the daemon on port 53 this is a static-stub')
    expect(recipes.bindFile(ROUTE).body).toContain(
      'type forward;\n    forward only;\n    forwarders { 127.0.0.1 port 7453; ::1 port 7453; };'
    )
  })

  it('of dnsmasq have no trust anchor where it was built without DNSSEC', () => {
    expect(recipes.dnsmasqFile('x', ROUTE, false).body).toBe(
      'server=/chronym/127.0.0.1#7453\nserver=/chronym/::1#7453\n# A name may point into a private network.\n' +
        'rebind-domain-ok=/chronym/\n'
    )
  })

  it('of systemd-resolved are a delegate from version 258 on, and a drop-in before', () => {
    expect(recipes.resolvedFile(ROUTE, 258)).toMatchObject({
      path: '/etc/systemd/dns-delegate.d/chronym.dns-delegate',
      body: '[Delegate]\nDNS=127.0.0.1:7453 [::1]:7453\nDomains=~chronym\n'
    })
    for (const version of [257, undefined])
      expect(recipes.resolvedFile(ROUTE, version)).toMatchObject({
        path: '/etc/systemd/resolved.conf.d/chronym.conf',
        body: '[Resolve]\nDNS=127.0.0.1:7453 [::1]:7453\nDomains=~chronym\n'
      })
    expect(recipes.resolvedAnchorFile(ROUTE)).toEqual({
      path: '/etc/dnssec-trust-anchors.d/chronym.positive',
      comment: ';',
      body: `chronym. IN DS 4711 13 2 ${'AB'.repeat(32)}\n`
    })
  })

  it('of macOS name one server and its port', () => {
    expect(recipes.macosFile(ROUTE)).toEqual({
      path: '/etc/resolver/chronym',
      comment: '#',
      body: 'nameserver 127.0.0.1\nport 7453\n'
    })
  })
})

/** Nothing of this machine's configuration. */
const LONE = ['--no-daemon', '--bind-interfaces', '--no-resolv', '--no-hosts', '--pid-file', '--stop-dns-rebind']

describe('a real dnsmasq', () => {
  it('passes the names of the zone to the daemon, and no others', async () => {
    const asked: string[] = []
    const port = await scene.nameServer((query) => {
      asked.push(nameOf(query))
      return say(query, { data: [typeOf(query) === TYPE.DNSKEY ? DNSKEY_DATA : Buffer.from([10, 0, 0, 7])] })
    })
    const route = { ...ROUTE, servers: [{ address: '127.0.0.1', port }] }
    const directory = scene.tree({ 'chronym.conf': markedText(recipes.dnsmasqFile('', route, true), false) })
    const dnsmasqAt = { address: OWN_HOST, port: 20_053 }
    const options = [
      `--conf-file=${join(directory, 'chronym.conf')}`,
      `--listen-address=${dnsmasqAt.address}`,
      `--port=${dnsmasqAt.port}`
    ]
    const child = spawn(programOf('dnsmasq-base'), [...options, ...LONE], { stdio: ['ignore', 'ignore', 'pipe'] })
    scene.onEnd(async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    })
    const through = (name: string, type: number, ms = PATIENCE_MS) => ask(dnsmasqAt, { name, type }, ms)
    const zone = await waitFor(async () => {
      // It may not listen yet.
      const reply = await through('chronym', TYPE.DNSKEY, 2_000)
      if (isSilent(reply)) throw new Error(reply.reason)
      return reply
    })
    expect(isFromDaemon(zone, route)).toBe(true)
    // A private address, in spite of the guard against rebinding.
    expect(await through('alice.chronym', TYPE.A)).toMatchObject({ rcode: 0, answers: [{ type: TYPE.A }] })
    expect(await through('alice.example', TYPE.A)).toMatchObject({ rcode: 5 })
    expect(new Set(asked)).toEqual(new Set(['chronym', 'alice.chronym']))
  })
})
