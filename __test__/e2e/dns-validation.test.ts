/**
 * Validators with the server's own key as their anchor: unbound and delv take its answers, and refuse changed ones. The
 * server runs by itself; its zones are written as the daemon writes them.
 */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Server } from '../../scripts/dns/ask.ts'
import { startChanging } from '../../scripts/dns/changing.ts'
import { startOurs, type Ours } from '../../scripts/dns/ours.ts'
import { OWN_HOST } from '../../scripts/loopback.ts'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { end } from '../../scripts/program.ts'
import { zoneToWire } from '../../src/dns/wire.ts'
import { local } from '../../src/protocol/profile/built-in.ts'
import { parseProfile } from '../../src/protocol/profile/profile.ts'
import { parseZone } from '../../src/protocol/zone/zone.ts'
import { runProgram, startProgram } from './dns/programs.ts'
import { Scene } from './processes.ts'

/** The first of them, below those that the system gives out. */
const UNBOUND_PORT = 20_060
const scene = new Scene()
let directory: string
let ours: Ours
/** As ours, with the last byte of the first address changed. */
let altered: Server
/** The TLSA data of a certificate in `directory`. */
let tlsa: string

beforeAll(async () => {
  needPackages(['unbound', 'bind9-dnsutils', 'openssl'])
  directory = scene.directory()
  tlsa = await makeCertificate('served')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  ours = startOurs({ key: privateKey.export({ type: 'pkcs8', format: 'der' }), serial: 1 })
  scene.onEnd(() => ours.stop())
  publish('alice', {
    '@': ['A 192.0.2.1'],
    '*.wild': ['TXT "any"'],
    '_443._tcp': [`TLSA ${tlsa}`],
    'a.ent': ['A 192.0.2.2']
  })
  publish('bob', { '@': ['A 192.0.2.80'] }, 'not settled yet')
  ours.setAbsent('nobody.chronym')
  const changing = await startChanging(ours, (reply) => {
    const at = reply.indexOf(Buffer.from([192, 0, 2, 1]))
    if (at > 0) reply[at + 3]! ^= 1
  })
  scene.onEnd(() => changing.stop())
  altered = changing
})

afterAll(() => scene.end())

/** Records by label; `insecure` says why the name is not settled. */
function publish(label: string, records: Readonly<Record<string, readonly string[]>>, insecure?: string): void {
  const profile = parseProfile(local)
  const byLabel = Object.entries(records).map(([owner, texts]) => [
    owner,
    texts.map((text) => ({ type: text.split(' ')[0], value: text.slice(text.indexOf(' ') + 1) }))
  ])
  const zone = parseZone({ records: Object.fromEntries(byLabel) }, profile)
  const wire = zoneToWire(zone, `${label}.chronym`, profile)
  ours.setZone(
    `${label}.chronym`,
    wire,
    insecure === undefined ? { secure: true } : { secure: false, reason: insecure }
  )
}

/** Self-signed, as `NAME.pem` and `NAME.key`; gives its TLSA data for the key, by SHA-256. */
async function makeCertificate(name: string): Promise<string> {
  const [certificate, key, der] = ['pem', 'key', 'der'].map((end) => join(directory, `${name}.${end}`)) as [
    string,
    string,
    string
  ]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const openssl = (...args: string[]) => runProgram(programOf('openssl'), args)
  await openssl(
    'req',
    '-x509',
    ...curve,
    '-subj',
    '/CN=alice.chronym',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    certificate
  )
  await openssl('pkey', '-in', key, '-pubout', '-outform', 'der', '-out', der)
  const { output } = await openssl('dgst', '-sha256', der)
  return `3 1 1 ${/[0-9a-f]{64}/.exec(output)![0]}`
}

describe('delv, with our key as its anchor', () => {
  async function delv(server: Server, name: string, type: string): Promise<string> {
    const file = join(directory, 'anchor.bind')
    const [, , , flags, protocol, algorithm, ...key] = ours.anchor().dnskey.split(' ')
    writeFileSync(file, `trust-anchors { chronym. static-key ${flags} ${protocol} ${algorithm} "${key.join('')}"; };\n`)
    const at = [`@${server.address}`, '-p', String(server.port), '-a', file, '+root=chronym']
    return (await runProgram(programOf('bind9-dnsutils'), [...at, name, type])).output
  }

  it('validates an answer, a wildcard, and that an empty non-terminal has no such type', async () => {
    expect(await delv(ours, 'alice.chronym', 'A')).toMatch(
      /; fully validated\nalice\.chronym\.\s+\d+\s+IN\s+A\s+192\.0\.2\.1\n/
    )
    expect(await delv(ours, 'x.wild.alice.chronym', 'TXT')).toMatch(
      /; fully validated\nx\.wild\.alice\.chronym\.\s.*"any"/
    )
    expect(await delv(ours, 'ent.alice.chronym', 'A')).toMatch(/; negative response, fully validated\n; ent\./)
  })

  it.each(['nobody.chronym', 'www.nobody.chronym', 'nowhere.alice.chronym'])(
    'validates that there is no %s',
    async (name) => {
      const said = await delv(ours, name, 'A')
      expect(said).toMatch(/negative response, fully validated/)
      expect(said).toContain(`${name}. NSEC \\000.${name}. RRSIG NSEC TYPE128`)
    }
  )

  it('takes a name that is not settled for unsigned, by a signed proof', async () => {
    expect(await delv(ours, 'bob.chronym', 'A')).toMatch(/; unsigned answer\nbob\.chronym\./)
    expect(await delv(ours, 'bob.chronym', 'DS')).toMatch(/negative response, fully validated/)
  })

  it('refuses an answer that was changed on its way', async () => {
    expect(await delv(altered, 'alice.chronym', 'A')).toMatch(/resolution failed: (RRSIG failed to verify|SERVFAIL)/i)
  })

  it('gives a TLSA record by which a TLS client knows the server, and no other one', async () => {
    const record = /IN\s+TLSA\s+(3 1 1 [0-9A-F ]+)\n/.exec(await delv(ours, '_443._tcp.alice.chronym', 'TLSA'))![1]!
    await makeCertificate('other')
    for (const [name, verdict] of [
      ['served', /Verification: OK\nVerified peername|DANE TLSA 3 1 1 .* matched/],
      ['other', /Verif(y|ication) error: no matching DANE TLSA records/i]
    ] as const) {
      const [cert, key] = ['pem', 'key'].map((kind) => readFileSync(join(directory, `${name}.${kind}`)))
      const server = createServer({ cert: cert!, key: key! }, (socket) => socket.end()).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as { port: number }
      const dane = ['-dane_tlsa_domain', 'alice.chronym', '-dane_tlsa_rrdata', record]
      const { output } = await runProgram(programOf('openssl'), ['s_client', '-connect', `127.0.0.1:${port}`, ...dane])
      server.close()
      expect(output).toMatch(verdict)
    }
  })
})

describe('unbound, with our zone as a stub and our key as its anchor', () => {
  interface Said {
    readonly status: string
    readonly isAuthentic: boolean
    readonly text: string
  }

  let count = 0

  async function startUnbound(server: Server): Promise<(name: string, type: string) => Promise<Said>> {
    const own = scene.directory()
    const port = UNBOUND_PORT + count++
    writeFileSync(join(own, 'anchor'), `${ours.anchor().ds}\n`)
    writeFileSync(
      join(own, 'unbound.conf'),
      `server:
  interface: ${OWN_HOST}@${port}
  username: ""
  chroot: ""
  directory: "${own}"
  pidfile: ""
  use-syslog: no
  logfile: ""
  verbosity: 1
  do-daemonize: no
  do-not-query-localhost: no
  local-zone: "chronym." nodefault
  trust-anchor-file: "${join(own, 'anchor')}"
  module-config: "validator iterator"
remote-control:
  control-enable: no
stub-zone:
  name: "chronym."
  stub-addr: ${server.address}@${server.port}
`
    )
    const child = await startProgram(programOf('unbound'), ['-d', '-c', join(own, 'unbound.conf')], /start of service/)
    scene.onEnd(() => end(child, 'SIGKILL'))
    return async (name, type) => {
      const asked = [`@${OWN_HOST}`, '-p', String(port), name, type, '+dnssec', '+tries=1', '+time=30']
      const { output } = await runProgram('dig', asked)
      return {
        status: /status: (\w+)/.exec(output)?.[1] ?? output,
        isAuthentic: /flags:[a-z ]* ad[ ;]/.test(output),
        text: output
      }
    }
  }

  it('validates answers, absent names, absent types and wildcards; clears AD for a name not settled', async () => {
    const ask = await startUnbound(ours)
    const secure = { status: 'NOERROR', isAuthentic: true }
    expect(await ask('alice.chronym', 'A')).toMatchObject({
      ...secure,
      text: expect.stringMatching(/\sA\s+192\.0\.2\.1\n/) as string
    })
    expect(await ask('x.wild.alice.chronym', 'TXT')).toMatchObject({
      ...secure,
      text: expect.stringContaining('"any"') as string
    })
    expect(await ask('_443._tcp.alice.chronym', 'TLSA')).toMatchObject(secure)
    for (const [name, type] of [
      ['nobody.chronym', 'A'],
      ['nowhere.alice.chronym', 'A'],
      ['alice.chronym', 'MX'],
      ['ent.alice.chronym', 'A']
    ] as const)
      expect(await ask(name, type)).toMatchObject({ ...secure, text: expect.stringMatching(/ANSWER: 0,/) as string })
    const insecure = { status: 'NOERROR', isAuthentic: false }
    expect(await ask('bob.chronym', 'A')).toMatchObject({
      ...insecure,
      text: expect.stringMatching(/\sA\s+192\.0\.2\.80\n/) as string
    })
    expect(await ask('bob.chronym', 'MX')).toMatchObject(insecure)
  })

  it.each([
    ['@', 'A'],
    ['@', 'NS'],
    ['@', 'ANY'],
    ['@', 'SOA'],
    ['@', 'DS'],
    ['www', 'ANY'],
    ['www', 'NS']
  ])('finds what a name not settled has, with a cache that %s %s warmed', async (owner, type) => {
    const label = `warm-${owner === '@' ? 'top' : owner}-${type.toLowerCase()}`
    publish(label, { '@': ['A 192.0.2.80'], www: ['A 192.0.2.81'], 'a.ent': ['A 192.0.2.82'] }, 'not settled yet')
    const ask = await startUnbound(ours)
    const at = (below: string): string => `${below === '@' ? '' : `${below}.`}${label}.chronym`
    await ask(at(owner), type)
    // The second round finds what the first left in the cache.
    for (const round of [1, 2]) {
      for (const [below, asked, answers] of [
        ['@', 'NS', 0],
        ['@', 'ANY', 1],
        ['www', 'A', 1],
        ['a.ent', 'A', 1],
        ['@', 'A', 1],
        ['@', 'MX', 0],
        ['@', 'SOA', 1]
      ] as const) {
        const { status, text } = await ask(at(below), asked)
        const found = Number(/ANSWER: (\d+)/.exec(text)?.[1])
        expect({ round, below, asked, status, isThere: found > 0 }).toEqual({
          ...{ round, below, asked, status: 'NOERROR', isThere: answers > 0 }
        })
      }
      expect(await ask(at('nowhere'), 'A')).toMatchObject({ status: 'NXDOMAIN' })
    }
  })

  it('answers SERVFAIL where an answer was changed on its way', async () => {
    const ask = await startUnbound(altered)
    expect(await ask('alice.chronym', 'A')).toMatchObject({ status: 'SERVFAIL', isAuthentic: false })
    expect(await ask('x.wild.alice.chronym', 'TXT')).toMatchObject({ status: 'NOERROR', isAuthentic: true })
  })
})
