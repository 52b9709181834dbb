import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readOrMakeDnsKey } from '../../src/data-directory/key-files.ts'

let directory: string
let path: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'chronym-dns-key-'))
  path = join(directory, 'dns-key')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

describe('the key of the DNS zone', () => {
  it('is made once: P-256, in a file that others cannot read', () => {
    const made = readOrMakeDnsKey(path)
    expect(made.isNew).toBe(true)
    const key = createPrivateKey({ key: Buffer.from(made.key), format: 'der', type: 'pkcs8' })
    expect(key.asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
    expect(readOrMakeDnsKey(path)).toEqual({ key: made.key, isNew: false })
  })

  it('that is damaged or of another kind is refused with the name of its file, and stays: SVC-DNS-004', () => {
    readOrMakeDnsKey(path)
    const pem = readFileSync(path, 'utf8')
    const other = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
    for (const text of ['', pem.slice(0, 100), pem.replaceAll('A', 'B'), String(other)]) {
      writeFileSync(path, text)
      expect(() => readOrMakeDnsKey(path)).toThrow(
        expect.objectContaining({ code: 'SVC-DNS-004', message: expect.stringContaining(path) as string }) as Error
      )
      expect(readFileSync(path, 'utf8')).toBe(text)
    }
  })
})
