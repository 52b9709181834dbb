import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import {
  type Authority,
  NoAuthorityError,
  openAuthority,
  pemOf,
  readAuthorityCertificate,
  removeAuthority,
  writeAuthority
} from '../../src/data-directory/https-authority.ts'
import { dataPaths, type DataPaths } from '../../src/data-directory/paths.ts'
import { addon } from '../../src/native/addon.ts'

const SEED = new Uint8Array(32).fill(7)

function newAuthority(): Record<keyof Authority, Buffer> {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'der', type: 'pkcs8' })
  return { key, certificate: Buffer.from(addon().authorityCertificate(key, 'chronym', 1_795_000_000)) }
}
const AUTHORITY = newAuthority()
const open = () => openAuthority(paths, SEED, 'chronym')

let paths: DataPaths
beforeEach(() => {
  paths = dataPaths(mkdtempSync(join(tmpdir(), 'chronym-https-')))
})
afterEach(() => rmSync(paths.root, { recursive: true }))

it('opens with the seed alone, and lies on the disk as nothing else', () => {
  expect(open()).toBeUndefined()
  writeAuthority(paths, SEED, AUTHORITY)
  expect(open()).toMatchObject(AUTHORITY)
  for (const file of readdirSync(paths.root)) {
    const content = readFileSync(join(paths.root, file))
    expect(content.includes(AUTHORITY.key)).toBe(false)
    expect(Buffer.from(content.toString(), 'base64').includes(AUTHORITY.key)).toBe(false)
    if (process.platform !== 'win32') expect(statSync(join(paths.root, file)).mode & 0o777).toBe(0o600)
  }
  expect(() => openAuthority(paths, new Uint8Array(32).fill(8), 'chronym')).toThrow('another seed')
})

it('refuses a key of which a byte has changed, or that is missing', () => {
  writeAuthority(paths, SEED, AUTHORITY)
  const sealed = Buffer.from(readFileSync(paths.httpsKey, 'utf8'), 'base64')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    writeFileSync(paths.httpsKey, changed.toString('base64'))
    expect(() => open()).toThrow(paths.httpsKey)
  }
  for (const rest of [sealed.subarray(0, 20), Buffer.alloc(0)]) {
    writeFileSync(paths.httpsKey, rest.toString('base64'))
    expect(() => open()).toThrow(paths.httpsKey)
  }
  rmSync(paths.httpsKey)
  expect(() => open()).toThrow(paths.httpsKey)
})

it('refuses a certificate of another key, and one more in its file', () => {
  writeAuthority(paths, SEED, AUTHORITY)
  for (const pem of [
    pemOf(newAuthority().certificate),
    pemOf(AUTHORITY.certificate) + pemOf(newAuthority().certificate),
    pemOf(AUTHORITY.certificate.subarray(0, -1)),
    ''
  ]) {
    writeFileSync(paths.httpsCertificate, pem)
    expect(() => open()).toThrow(paths.httpsCertificate)
  }
})

it('is gone when it is removed', () => {
  writeAuthority(paths, SEED, AUTHORITY)
  removeAuthority(paths)
  expect(readAuthorityCertificate(paths)).toBeUndefined()
  expect(readdirSync(paths.root)).toEqual([])
})

it('opens as commit 88cfa41c made it', () => {
  const made = resolve(import.meta.dirname, '../vectors/https-authority')
  for (const path of [paths.httpsKey, paths.httpsCertificate])
    writeFileSync(path, readFileSync(join(made, basename(path))), { mode: 0o600 })
  expect(open()).toMatchObject({ suffix: 'chronym' })
})

/** Lines of an authority as OpenSSL makes it; empty ones are left out. */
const LINES = {
  basic: 'basicConstraints=critical,CA:TRUE,pathlen:0',
  usage: 'keyUsage=critical,keyCertSign',
  purpose: 'extendedKeyUsage=serverAuth',
  names:
    'nameConstraints=critical,permitted;DNS:chronym,excluded;IP:0.0.0.0/0.0.0.0,' +
    'excluded;IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0',
  id: '',
  more: ''
}

/** A key in the directory, sealed as ours is, with a certificate that somebody else made of it. */
function plant(changes: Partial<typeof LINES> = {}, { subject = '', signer = '' } = {}): void {
  const openssl = (...args: string[]): void => {
    const { status, stderr } = spawnSync(programOf('openssl'), args, { encoding: 'utf8', cwd: paths.root })
    expect(status, stderr).toBe(0)
  }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ format: 'der', type: 'pkcs8' })
  writeAuthority(paths, SEED, { ...AUTHORITY, key })
  writeFileSync(join(paths.root, 'key'), privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const point = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-65)
  const id = createHash('sha256').update(point).digest('hex').slice(0, 40)
  const lines = Object.values({ ...LINES, id: `subjectKeyIdentifier=${id}`, ...changes })
  writeFileSync(
    join(paths.root, 'settings'),
    `[req]\ndistinguished_name=none\nx509_extensions=own\n[none]\n[own]\nauthorityKeyIdentifier=none\n${lines.join('\n')}\n`
  )
  const name = subject === '' ? `/CN=Chronym names on this machine (${id.slice(0, 8)})` : subject
  const made = ['req', '-x509', '-new', '-days', '3650', '-config', 'settings', '-key', 'key', '-subj', name]
  if (signer === '') openssl(...made, '-out', 'https-authority.pem')
  else {
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'other')
    openssl(...made, '-key', 'other', '-out', 'root.pem')
    openssl(...made, '-CA', 'root.pem', '-CAkey', 'other', '-out', 'https-authority.pem')
  }
}

it('takes one of another maker that says the same, in whatever order', () => {
  needPackages(['openssl'])
  plant()
  expect(open()).toMatchObject({ suffix: 'chronym' })
})

const suffixes = (permitted: string): string => LINES.names.replace('permitted;DNS:chronym', permitted)

it.each<[string, Partial<typeof LINES>, Parameters<typeof plant>[1]?]>([
  ['without name constraints', { names: '' }],
  ['with constraints that programs may overlook', { names: LINES.names.replace('critical,', '') }],
  ['for another suffix', { names: suffixes('permitted;DNS:com') }],
  ['for one more suffix', { names: suffixes('permitted;DNS:chronym,permitted;DNS:com') }],
  ['for a suffix and its own', { names: suffixes('permitted;DNS:com,permitted;DNS:chronym') }],
  ['for mail as well', { names: suffixes('permitted;DNS:chronym,permitted;email:com') }],
  ['for all but one', { names: suffixes('excluded;DNS:com') }],
  ['for IPv6 addresses', { names: LINES.names.replace(/,excluded;IP:0:.*/u, '') }],
  ['for a part of all IPv4 addresses', { names: LINES.names.replace('0.0.0.0/0.0.0.0', '10.0.0.0/255.0.0.0') }],
  ['with one more extension', { more: 'tlsfeature=status_request' }],
  ['with one more extension that is critical', { more: '1.2.3.4=critical,ASN1:UTF8String:x' }],
  ['with names of its own', { more: 'subjectAltName=DNS:bank.example.com' }],
  ['with authorities below it', { basic: 'basicConstraints=critical,CA:TRUE,pathlen:1' }],
  ['with any number of authorities below it', { basic: 'basicConstraints=critical,CA:TRUE' }],
  ['that is no authority', { basic: 'basicConstraints=critical,CA:FALSE' }],
  ['that signs lists as well', { usage: 'keyUsage=critical,keyCertSign,cRLSign' }],
  ['for programs as well', { purpose: 'extendedKeyUsage=serverAuth,codeSigning' }],
  ['for every purpose', { purpose: '' }],
  ['with the id of another key', { id: 'subjectKeyIdentifier=00112233445566778899aabbccddeeff00112233' }],
  ['with the name of another authority', {}, { subject: '/CN=Corporate root' }],
  ['with two names', {}, { subject: '/O=x/CN=Chronym names on this machine (00000000)' }],
  ['that another key signed', {}, { signer: 'other' }]
])('refuses an authority %s, also for the stores', (_, changes, how) => {
  plant(changes, how)
  expect(open).toThrow(NoAuthorityError)
  if (changes.names === suffixes('permitted;DNS:com')) expect(readAuthorityCertificate(paths)?.suffix).toBe('com')
  else expect(() => readAuthorityCertificate(paths)).toThrow(paths.httpsCertificate)
})

it('refuses what surrounds a certificate, and what is no file', () => {
  writeAuthority(paths, SEED, AUTHORITY)
  const pem = readFileSync(paths.httpsCertificate, 'utf8')
  const behind = pemOf(Buffer.concat([AUTHORITY.certificate, Buffer.from([0])]))
  for (const text of [
    behind,
    `${pem}\n`,
    `# x\n${pem}`,
    pem.replace('\n', '\r\n'),
    pem.replaceAll('CERTIFICATE', 'TRUST')
  ]) {
    writeFileSync(paths.httpsCertificate, text)
    expect(open).toThrow(NoAuthorityError)
  }
  rmSync(paths.httpsCertificate)
  expect(spawnSync('mkfifo', ['-m', '600', paths.httpsCertificate]).status).toBe(0)
  expect(open).toThrow(NoAuthorityError)
  rmSync(paths.httpsCertificate)
  writeFileSync(join(paths.root, 'elsewhere'), pem, { mode: 0o600 })
  symlinkSync(join(paths.root, 'elsewhere'), paths.httpsCertificate)
  expect(open).toThrow('is a link')
})
