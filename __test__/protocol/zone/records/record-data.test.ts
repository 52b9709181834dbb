import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { encodeMultibase } from '../../../../src/protocol/identity/did.ts'
import { type RecordType, parseRecordData } from '../../../../src/protocol/zone/record-data.ts'
import { absoluteTarget } from '../../../../src/protocol/zone/domain-name.ts'
import { LOCAL } from '../../fixtures.ts'

const DID = `did:chronym:${encodeMultibase(Uint8Array.from([0x12, 0x20, ...new Uint8Array(32).fill(7)]))}`
const SHA256 = 'ab'.repeat(32)

/** The data of a value, with bytes in hex. */
function dataOf(type: RecordType, value: string): unknown {
  return JSON.parse(
    JSON.stringify(parseRecordData(type, value, LOCAL), (_, item: unknown) =>
      item instanceof Uint8Array ? toHex(item) : item
    )
  )
}

describe('record values', () => {
  it.each<[RecordType, string, object]>([
    ['A', '192.0.2.1', { address: '192.0.2.1' }],
    ['AAAA', '2001:db8::1', { address: '2001:db8::1' }],
    ['CNAME', 'example.com.', { target: 'example.com.' }],
    ['NS', 'ns1', { target: 'ns1' }],
    ['PTR', '@', { target: '@' }],
    [
      'TXT',
      'plain text, as typed; "quotes" inside',
      { strings: [Buffer.from('plain text, as typed; "quotes" inside').toString('hex')] }
    ],
    ['TXT', '"one" "t\\"w\\\\o" three\\033', { strings: ['6f6e65', '7422775c6f', '746872656521'] }],
    ['TXT', '""', { strings: [''] }],
    ['TXT', 'x'.repeat(300), { strings: ['78'.repeat(255), '78'.repeat(45)] }],
    ['MX', '10 mail.example.com', { preference: 10, exchange: 'mail.example.com' }],
    ['MX', '0 .', { preference: 0, exchange: '.' }],
    ['SRV', '0 5 5060 sip', { priority: 0, weight: 5, port: 5060, target: 'sip' }],
    [
      'CAA',
      '128 issue "ca.example; policy=ev"',
      { flags: 128, tag: 'issue', value: Buffer.from('ca.example; policy=ev').toString('hex') }
    ],
    [
      'TLSA',
      `3 1 1 ${SHA256.slice(0, 30)} ${SHA256.slice(30)}`,
      { usage: 3, selector: 1, matchingType: 1, data: SHA256 }
    ],
    ['SSHFP', `4 2 ${SHA256.toUpperCase()}`, { algorithm: 4, fingerprintType: 2, fingerprint: SHA256 }],
    ['DS', `60485 13 2 ${SHA256}`, { keyTag: 60485, algorithm: 13, digestType: 2, digest: SHA256 }],
    [
      'URI',
      '10 1 "https://example.com/a b"'.replace(' b"', '%20b"'),
      { priority: 10, weight: 1, target: toHex(Buffer.from('https://example.com/a%20b')) }
    ],
    ['KID', DID, { did: DID }],
    // RFC 9460, appendix D: figures 2, 3, 4, 6, 8.
    ['HTTPS', '0 foo.example.com.', { priority: 0, target: 'foo.example.com.', params: [] }],
    ['SVCB', '1 .', { priority: 1, target: '.', params: [] }],
    [
      'SVCB',
      '16 foo.example.com. port=53',
      { priority: 16, target: 'foo.example.com.', params: [{ key: 3, value: '0035' }] }
    ],
    [
      'SVCB',
      '1 foo.example.com. key667="hello\\210qoo"',
      { priority: 1, target: 'foo.example.com.', params: [{ key: 667, value: '68656c6c6fd2716f6f' }] }
    ],
    [
      'SVCB',
      '1 foo.example.com. ( '.replace('( ', 'ipv6hint=2001:db8::1,2001:db8::53:1'),
      {
        priority: 1,
        target: 'foo.example.com.',
        params: [{ key: 6, value: '20010db8000000000000000000000001' + '20010db8000000000000000000530001' }]
      }
    ],
    [
      'SVCB',
      '16 foo.example.org. alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1',
      {
        priority: 16,
        target: 'foo.example.org.',
        params: [
          { key: 0, value: '00010004' },
          { key: 1, value: '02683205' + '68332d3139' },
          { key: 4, value: 'c0000201' }
        ]
      }
    ],
    [
      'HTTPS',
      '1 . alpn="h2,h3" no-default-alpn ech="AEj+DQ=="',
      {
        priority: 1,
        target: '.',
        params: [
          { key: 1, value: '026832026833' },
          { key: 2, value: '' },
          { key: 5, value: '0048fe0d' }
        ]
      }
    ]
  ])('%s %s', (type, value, expected) => expect(dataOf(type, value)).toEqual({ type, ...expected }))

  it.each<[RecordType, string]>([
    ['A', '192.0.2.256'],
    ['A', '::1'],
    ['A', '192.0.2.1 '],
    ['AAAA', '192.0.2.1'],
    ['AAAA', 'fe80::1%eth0'],
    ['CNAME', ''],
    ['CNAME', 'a b'],
    ['CNAME', 'a..b'],
    ['CNAME', '.'],
    ['CNAME', `${'a'.repeat(64)}.example`],
    ['CNAME', '_.-a'],
    ['NS', `${'a.'.repeat(127)}a`],
    ['TXT', ''],
    ['TXT', '"open'],
    ['TXT', '"a"b'],
    ['TXT', '"\\256"'],
    ['TXT', '"\\'],
    ['TXT', '"\u0007"'],
    ['TXT', `"${'x'.repeat(256)}"`],
    ['MX', 'mail'],
    ['MX', '65536 mail'],
    ['MX', '10 .'],
    ['MX', '010 mail'],
    ['SRV', '0 0 0'],
    ['SRV', '0 0 99999 x'],
    ['CAA', '0 issue'],
    ['CAA', '256 issue "x"'],
    ['CAA', '0 is-sue "x"'],
    ['TLSA', '3 1 1 abcd'],
    ['TLSA', '3 1 0 xyz'],
    ['TLSA', '3 1'],
    ['SSHFP', `1 1 ${SHA256}`],
    ['DS', `1 8 1 ${SHA256}`],
    ['DS', '1 8 2'],
    ['URI', '1 1 https://example.com'],
    ['URI', '1 1 "not a uri"'],
    ['KID', 'did:other:zabc'],
    ['KID', `${DID}x`],
    ['SVCB', '0 . alpn=h2'],
    ['SVCB', '1 . alpn=h2 alpn=h3'],
    ['SVCB', '1 . no-default-alpn'],
    ['SVCB', '1 . mandatory=alpn'],
    ['SVCB', '1 . mandatory=mandatory'],
    ['SVCB', '1 . alpn=h2 mandatory=alpn,alpn'],
    ['SVCB', '1 . port=abc'],
    ['SVCB', '1 . unknown=1'],
    ['SVCB', '1 . key3=x'],
    ['SVCB', '1 . key65535=x'],
    ['SVCB', '1 . ipv4hint=1.2.3'],
    ['SVCB', '1 . alpn=h2,'],
    ['SVCB', '1 . port'],
    ['HTTPS', '1']
  ])('%s %j is refused', (type, value) => expect(() => parseRecordData(type, value, LOCAL)).toThrow())

  it('never take long or crash on arbitrary text', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<RecordType>('TXT', 'SVCB', 'CAA', 'URI', 'MX', 'CNAME', 'AAAA', 'KID'),
        fc.string({ maxLength: 300 }),
        (type, value) => {
          try {
            parseRecordData(type, value, LOCAL)
          } catch (error) {
            expect(error).toBeInstanceOf(Error)
            expect(error).not.toBeInstanceOf(TypeError)
          }
        }
      ),
      { numRuns: 1000, seed: 1 }
    )
  })

  it('name targets absolutely when they have a dot, else below the apex', () => {
    expect(absoluteTarget('@', 'alice.chronym')).toBe('alice.chronym')
    expect(absoluteTarget('www', 'alice.chronym')).toBe('www.alice.chronym')
    expect(absoluteTarget('Example.COM', 'alice.chronym')).toBe('example.com')
    expect(absoluteTarget('com.', 'alice.chronym')).toBe('com')
    expect(absoluteTarget('.', 'alice.chronym')).toBe('')
  })
})
