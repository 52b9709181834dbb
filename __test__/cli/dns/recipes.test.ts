/** The programs that read these files say whether they are right. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import * as recipes from '../../../src/cli/dns/recipes.ts'
import { markedText } from '../../../src/cli/dns/setup/marked-file.ts'
import { needPackages, programOf } from '../../../scripts/packages.ts'
import { DnsScene, ON_PORT_53, ROUTE } from './scene.ts'

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
