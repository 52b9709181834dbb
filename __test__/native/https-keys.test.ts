/** What the proxy for https says of servers whose keys or certificates OpenSSL makes, and which OpenSSL serves. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { end } from '../../scripts/program.ts'
import { pemOf } from '../../src/data-directory/https-authority.ts'
import { addon, startDnsServer } from '../../src/native/addon.ts'
import type { DnsServer } from '../../src/native/dns.ts'

const NAME = 'alice.chronym'
const HOUR = 3_600_000

let directory: string
let dns: DnsServer
let ca: string
beforeAll(() => {
  needPackages(['openssl'])
  directory = mkdtempSync(join(tmpdir(), 'chronym-https-keys-'))
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'der', type: 'pkcs8' })
  const options = {
    tld: 'chronym',
    key,
    serial: 1,
    listen: [],
    tls: null,
    forward: [],
    isPublic: false,
    cacheBytes: 2 ** 20
  }
  dns = startDnsServer(options, () => undefined)
  dns.setProxy({
    address: '127.0.0.1',
    port: 0,
    allowPrivate: [NAME],
    keyed: [],
    localPorts: null,
    onKeyed: () => undefined
  })
  const certificate = addon().authorityCertificate(key, 'chronym', Math.floor(Date.now() / 1000))
  ca = pemOf(certificate)
  dns.mint(key, certificate)
})
afterAll(async () => {
  await dns.close()
  rmSync(directory, { recursive: true })
})

function openssl(...args: string[]): void {
  const { status, stderr } = spawnSync(programOf('openssl'), args, { cwd: directory, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
}

const wire = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]),
    Buffer.of(0)
  ])

function record(owner: string, type: number, data: Uint8Array): Buffer {
  const head = Buffer.from([0, type, 0, 1, 0, 0, 1, 44, data.length >> 8, data.length & 255])
  return Buffer.concat([wire(owner), head, data])
}

/** What a browser gets of a server with `cert.pem` and `key.pem`, whose key a record names. */
async function visit(...more: string[]): Promise<string> {
  const server = spawn(
    programOf('openssl'),
    ['s_server', '-accept', '127.0.0.1:0', '-cert', 'cert.pem', '-key', 'key.pem', '-www', ...more],
    { cwd: directory, stdio: ['ignore', 'pipe', 'ignore'] }
  )
  try {
    let port = 0
    for await (const line of createInterface(server.stdout)) {
      port = Number(/^ACCEPT 127\.0\.0\.1:(\d+)$/u.exec(line)?.[1] ?? 0)
      if (port > 0) break
    }
    const key = createPublicKey(readFileSync(join(directory, 'cert.pem'))).export({ format: 'der', type: 'spki' })
    const hash = createHash('sha256').update(key).digest()
    const records = [
      record(NAME, 1, Buffer.of(127, 0, 0, 1)),
      record(`_${port}._tcp.${NAME}`, 52, Buffer.concat([Buffer.of(3, 1, 1), hash]))
    ]
    dns.setZone(NAME, Buffer.concat(records), { secure: true, reason: '' }, HOUR, HOUR)
    const socket = connectTcp(dns.proxyPort()!, '127.0.0.1')
    socket.write(`CONNECT ${NAME}:${port} HTTP/1.1\r\n\r\n`)
    await once(socket, 'data')
    const tls = connectTls({ socket, servername: NAME, ca })
    tls.write('GET / HTTP/1.1\r\n\r\n')
    return await text(tls)
  } finally {
    await end(server, 'SIGKILL')
  }
}

const EC = ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256']
const key = (...options: string[]): void => openssl('genpkey', ...options, '-out', 'key.pem')
const certificate = (...options: string[]): void =>
  openssl(
    'req',
    '-x509',
    '-new',
    '-key',
    'key.pem',
    '-subj',
    `/CN=${NAME}`,
    '-days',
    '30',
    '-out',
    'cert.pem',
    ...options
  )

describe('a key that a record names', () => {
  it('opens in a certificate of version 1', async () => {
    key(...EC)
    openssl('req', '-new', '-key', 'key.pem', '-subj', `/CN=${NAME}`, '-out', 'request.pem')
    openssl('x509', '-req', '-in', 'request.pem', '-signkey', 'key.pem', '-days', '30', '-out', 'cert.pem')
    for (const version of ['-tls1_2', '-tls1_3']) expect(await visit(version)).toMatch(/^HTTP\/1\.0 200 ok/u)
  })

  it('opens in a certificate with a critical extension that nobody knows', async () => {
    key(...EC)
    certificate('-addext', '1.2.3.4=critical,ASN1:UTF8String:x')
    for (const version of ['-tls1_2', '-tls1_3']) expect(await visit(version)).toMatch(/^HTTP\/1\.0 200 ok/u)
  })

  it.each([
    ['P-521', ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-521']],
    ['Ed448', ['-algorithm', 'ED448']],
    ['RSA-PSS', ['-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048']]
  ])('of kind %s is refused for what it is', async (_, options) => {
    key(...options)
    certificate()
    const page = await visit()
    expect(page).toMatch(/has no version, cipher or kind of key in common.*ECDSA P-256 and P-384/su)
    expect(page).not.toMatch(/another key|somebody else/u)
  })

  it.each(['-tls1_2', '-tls1_3'])('of RSA with 1,024 bits is refused for its length (%s)', async (version) => {
    key('-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024')
    certificate()
    const page = await visit(version, '-cipher', 'DEFAULT@SECLEVEL=0')
    expect(page).toContain('a key that this daemon cannot check (RSA with 1024 bits)')
    expect(page).not.toMatch(/another key|somebody else/u)
  })
})
