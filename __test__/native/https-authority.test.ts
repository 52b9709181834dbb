/** What each TLS library makes of leaves that somebody signs with the key of a machine's authority. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { pemOf } from '../../src/data-directory/https-authority.ts'
import { addon } from '../../src/native/addon.ts'

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = pair.privateKey.export({ format: 'der', type: 'pkcs8' })
const certificate = addon().authorityCertificate(key, 'chronym', Math.floor(Date.now() / 1000))

/** Of a leaf: for what it is, and whether it may be taken. */
const LEAVES: Readonly<Record<string, { san: string; fits: boolean }>> = {
  'a name of the zone': { san: 'DNS:alice.chronym', fits: true },
  'a name below it': { san: 'DNS:www.alice.chronym', fits: true },
  'another name': { san: 'DNS:example.com', fits: false },
  'both in one leaf': { san: 'DNS:alice.chronym,DNS:example.com', fits: false },
  'a name that ends in the same letters': { san: 'DNS:evilchronym', fits: false },
  'the suffix within another name': { san: 'DNS:chronym.example.com', fits: false },
  'an IPv4 address': { san: 'IP:192.0.2.1', fits: false },
  'an IPv6 address': { san: 'IP:2001:db8::1', fits: false }
}

let directory: string
const at = (file: string): string => join(directory, file)
const openssl = (...args: string[]): void => {
  const { status, stderr } = spawnSync(programOf('openssl'), args, { encoding: 'utf8', cwd: directory })
  expect(status, stderr).toBe(0)
}
const fileOf = (title: string): string => `${title.replaceAll(' ', '-')}.pem`

/** Whether a program takes a leaf, with its words where it does not. */
function judged(program: string, args: readonly string[]): { readonly ok: boolean; readonly said: string } {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    cwd: directory,
    timeout: 60_000
  })
  if (error !== undefined) throw error
  return { ok: status === 0, said: stdout + stderr }
}

beforeAll(() => {
  needPackages(['openssl', 'gnutls-bin', 'libnss3-tools'])
  directory = mkdtempSync(join(tmpdir(), 'chronym-authority-'))
  writeFileSync(at('ca.pem'), pemOf(certificate))
  writeFileSync(at('ca.key'), pair.privateKey.export({ format: 'pem', type: 'pkcs8' }))
  openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'leaf.key')
  for (const [title, { san }] of Object.entries(LEAVES)) {
    writeFileSync(
      at('extensions'),
      `basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=${san}\n`
    )
    openssl('req', '-new', '-key', 'leaf.key', '-subj', '/CN=x', '-out', 'leaf.csr')
    openssl(
      ...['x509', '-req', '-in', 'leaf.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '1'],
      ...['-extfile', 'extensions', '-out', fileOf(title)]
    )
  }
  mkdirSync(at('nss'))
  for (const args of [
    ['-N', '--empty-password'],
    ['-A', '-n', 'authority', '-t', 'C,,', '-i', 'ca.pem']
  ])
    expect(judged(programOf('libnss3-tools'), [...args, '-d', 'sql:nss'])).toMatchObject({ ok: true })
})
afterAll(() => rmSync(directory, { recursive: true }))

describe('the authority of a machine', () => {
  it('is bound to its suffix, critically, with no authority below it, for ten years', () => {
    const { said } = judged(programOf('openssl'), ['x509', '-in', 'ca.pem', '-noout', '-text'])
    expect(said).toMatch(
      /X509v3 Name Constraints: critical\s+Permitted:\s+DNS:chronym\s+Excluded:\s+IP:0\.0\.0\.0\/0\.0\.0\.0\s+IP:0:0/u
    )
    expect(said).toMatch(/X509v3 Basic Constraints: critical\s+CA:TRUE, pathlen:0/u)
    expect(said).toMatch(/X509v3 Key Usage: critical\s+Certificate Sign\n/u)
    expect(said).toContain('ASN1 OID: prime256v1')
    const { validFrom, validTo } = new X509Certificate(certificate)
    expect((Date.parse(validTo) - Date.parse(validFrom)) / 86_400_000).toBeCloseTo(3652, 0)
  })

  const programs: Readonly<Record<string, (file: string) => [string, string[]]>> = {
    OpenSSL: (file) => [programOf('openssl'), ['verify', '-purpose', 'sslserver', '-CAfile', 'ca.pem', file]],
    GnuTLS: (file) => [
      programOf('gnutls-bin'),
      ['--verify', '--verify-purpose', '1.3.6.1.5.5.7.3.1', '--load-ca-certificate', 'ca.pem', '--infile', file]
    ],
    NSS: (file) => ['vfychain', ['-d', 'sql:nss', '-pp', '-u', '1', '-a', file]]
  }
  describe.each(Object.entries(programs))('in %s', (_, command) => {
    it.each(Object.entries(LEAVES))('vouches as it may for %s', (title, { fits }) => {
      const verdict = judged(...command(fileOf(title)))
      expect(verdict.ok, verdict.said).toBe(fits)
    })
  })
})
