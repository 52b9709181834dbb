import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCertificate } from '../../src/dns/listen.ts'
import { temporary } from '../temporary.ts'

const at = (file: string): string => join(import.meta.dirname, file)
const [certificate, key] = [at('tls/cert.pem'), at('tls/key.pem')]

describe('the certificate of the DNS server', () => {
  it('is read with its key', () => {
    const read = readCertificate({ certificate, key })
    expect(read.certificate).toEqual(new Uint8Array(readFileSync(certificate)))
    expect(read.key).toEqual(new Uint8Array(readFileSync(key)))
  })

  it.each([
    ['a file that is not there', at('tls/none.pem'), key, `dns.tls_cert, ${at('tls/none.pem')}`],
    ['a key that is not there', certificate, at('tls/none.pem'), `dns.tls_key, ${at('tls/none.pem')}`],
    ['files that are swapped', key, certificate, key],
    ['text', at('certificate.test.ts'), key, at('certificate.test.ts')]
  ])('is refused where it is %s: SVC-DNS-003', (_what, certificatePath, keyPath, named) => {
    expect(() => readCertificate({ certificate: certificatePath, key: keyPath })).toThrow(
      expect.objectContaining({ code: 'SVC-DNS-003', message: expect.stringContaining(named) as string }) as Error
    )
  })

  it.each([
    ['encrypted, as OpenSSL writes it', { cipher: 'aes-256-cbc', passphrase: 'secret', type: 'pkcs8' }, 'is encrypted'],
    ['encrypted in the older form', { cipher: 'aes-256-cbc', passphrase: 'secret', type: 'sec1' }, 'is encrypted'],
    ['on P-521', { type: 'pkcs8' }, 'is a key on the curve secp521r1']
  ] as const)('says that a key is %s, and what to do', (_what, form, said) => {
    const namedCurve = said === 'is encrypted' ? 'P-256' : 'P-521'
    const { privateKey } = generateKeyPairSync('ec', { namedCurve })
    const path = join(temporary(), 'key.pem')
    writeFileSync(path, privateKey.export({ ...form, format: 'pem' }))
    expect(() => readCertificate({ certificate, key: path })).toThrow(`dns.tls_key, ${path}, ${said}`)
  })
})
