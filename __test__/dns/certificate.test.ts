import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCertificate } from '../../src/dns/listen.ts'

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
})
