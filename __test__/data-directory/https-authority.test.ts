import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type Authority,
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

let paths: DataPaths
beforeEach(() => {
  paths = dataPaths(mkdtempSync(join(tmpdir(), 'chronym-https-')))
})
afterEach(() => rmSync(paths.root, { recursive: true }))

it('opens with the seed alone, and lies on the disk as nothing else', () => {
  expect(openAuthority(paths, SEED)).toBeUndefined()
  writeAuthority(paths, SEED, AUTHORITY)
  expect(openAuthority(paths, SEED)).toEqual(AUTHORITY)
  for (const file of readdirSync(paths.root)) {
    const content = readFileSync(join(paths.root, file))
    expect(content.includes(AUTHORITY.key)).toBe(false)
    expect(Buffer.from(content.toString(), 'base64').includes(AUTHORITY.key)).toBe(false)
    if (process.platform !== 'win32') expect(statSync(join(paths.root, file)).mode & 0o777).toBe(0o600)
  }
  expect(() => openAuthority(paths, new Uint8Array(32).fill(8))).toThrow('another seed')
})

it('refuses a key of which a byte has changed, or that is missing', () => {
  writeAuthority(paths, SEED, AUTHORITY)
  const sealed = Buffer.from(readFileSync(paths.httpsKey, 'utf8'), 'base64')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    writeFileSync(paths.httpsKey, changed.toString('base64'))
    expect(() => openAuthority(paths, SEED)).toThrow(paths.httpsKey)
  }
  for (const rest of [sealed.subarray(0, 20), Buffer.alloc(0)]) {
    writeFileSync(paths.httpsKey, rest.toString('base64'))
    expect(() => openAuthority(paths, SEED)).toThrow(paths.httpsKey)
  }
  rmSync(paths.httpsKey)
  expect(() => openAuthority(paths, SEED)).toThrow(paths.httpsKey)
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
    expect(() => openAuthority(paths, SEED)).toThrow(paths.httpsCertificate)
  }
})

it('is gone when it is removed', () => {
  writeAuthority(paths, SEED, AUTHORITY)
  removeAuthority(paths)
  expect(readAuthorityCertificate(paths)).toBeUndefined()
  expect(readdirSync(paths.root)).toEqual([])
})
