import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toHex, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { encodeMultibase } from '../../../src/protocol/identity/did.ts'
import type { RecordType } from '../../../src/protocol/zone/zone.ts'
import {
  absoluteTarget,
  parseRecordData,
  parseZone,
  parseZonePayload,
  payloadSerial,
  serializeZone,
  ZoneError
} from '../../../src/protocol/zone/zone.ts'
import { LOCAL } from '../fixtures.ts'

const DID = `did:chronym:${encodeMultibase(Uint8Array.from([0x12, 0x20, ...new Uint8Array(32).fill(7)]))}`
const SHA256 = 'ab'.repeat(32)

function problemsOf(zone: unknown): string[] {
  try {
    parseZone(zone, LOCAL)
    return []
  } catch (error) {
    if (error instanceof ZoneError) return error.problems.map(({ path, message }) => `${path}: ${message}`)
    throw error
  }
}

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
      { priority: 10, weight: 1, target: 'https://example.com/a%20b' }
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
    ['CNAME', 'ex_ample.com'],
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
      { numRuns: 1000 }
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

describe('a zone', () => {
  const zone = {
    records: {
      '@': [
        { type: 'A', value: '192.0.2.1' },
        { type: 'txt', value: 'hello', ttl: 60, note: 'x' }
      ],
      www: [{ type: 'CNAME', value: '@' }],
      '*.a': [],
      '_sip._tcp': [{ type: 'SRV', value: '0 0 1 x' }]
    },
    extra: 1
  }

  it('is read without what it does not know', () => {
    const parsed = parseZone(zone, LOCAL)
    expect(parsed).toEqual({
      records: {
        '@': [
          { type: 'A', value: '192.0.2.1' },
          { type: 'TXT', value: 'hello', ttl: 60 }
        ],
        www: [{ type: 'CNAME', value: '@' }],
        '_sip._tcp': [{ type: 'SRV', value: '0 0 1 x' }]
      }
    })
  })

  it('is published as canonical JSON and read back', () => {
    const parsed = parseZone(zone, LOCAL)
    const payload = serializeZone({ ...parsed, serial: 3 }, 9, LOCAL)
    expect(Buffer.from(payload).toString()).toBe(
      '{"records":{"@":[{"type":"A","value":"192.0.2.1"},{"ttl":60,"type":"TXT","value":"hello"}],' +
        '"_sip._tcp":[{"type":"SRV","value":"0 0 1 x"}],"www":[{"type":"CNAME","value":"@"}]},"serial":9}'
    )
    expect(parseZonePayload(payload, LOCAL)).toEqual({ ...parsed, serial: 9 })
    expect(payloadSerial(payload, LOCAL)).toBe(9)
    expect(() => serializeZone(parsed, -1, LOCAL)).toThrow(RangeError)
  })

  it('has no records at labels that are names of JavaScript', () => {
    const parsed = parseZone({ records: { constructor: [{ type: 'A', value: '192.0.2.1' }] } }, LOCAL)
    expect(parsed.records['constructor']).toHaveLength(1)
    expect('toString' in parsed.records).toBe(false)
    expect(problemsOf(JSON.parse('{"records":{"__proto__":[]}}'))).toHaveLength(1)
  })

  it.each([
    ['the label', { Www: [] }, 'records/Www: a label is @'],
    ['the label', { 'a.*': [] }, 'records/a.*:'],
    ['the label', { '': [] }, 'records/:'],
    ['the label', { 'a..b': [] }, 'records/a..b:'],
    ['the label', { [`${'a.'.repeat(100)}a`]: [] }, 'at most'],
    ['the label', { '-a': [] }, 'records/-a:'],
    ['the list', { a: {} }, 'records/a: an array'],
    ['the record', { a: [null] }, 'records/a/0: a: a record is an object'],
    ['the type', { a: [{ type: 'SPF', value: 'x' }] }, 'records/a/0/type: a: a type is one of A, AAAA'],
    ['the value', { a: [{ type: 'A', value: 1 }] }, 'records/a/0/value: a: the value of A is a text'],
    ['the value', { a: [{ type: 'A', value: '1.2' }] }, 'records/a/0/value: a: A: "1.2" is no IPv4 address'],
    [
      'the ttl',
      { a: [{ type: 'A', value: '1.2.3.4', ttl: 29 }] },
      'records/a/0/ttl: a: the ttl of A is an integer from 30 to 86400 seconds'
    ],
    ['the ttl', { a: [{ type: 'A', value: '1.2.3.4', ttl: '300' }] }, 'records/a/0/ttl'],
    ['a CNAME at the apex', { '@': [{ type: 'CNAME', value: 'x' }] }, 'records/@: CNAME may not stand at the apex'],
    [
      'a CNAME beside others',
      {
        a: [
          { type: 'CNAME', value: 'x' },
          { type: 'A', value: '1.2.3.4' }
        ]
      },
      'records/a: CNAME must be the only record'
    ],
    [
      'two CNAMEs',
      {
        a: [
          { type: 'CNAME', value: 'x' },
          { type: 'CNAME', value: 'y' }
        ]
      },
      'records/a: CNAME must be the only record'
    ],
    [
      'a record twice',
      {
        a: [
          { type: 'A', value: '1.2.3.4' },
          { type: 'A', value: '1.2.3.4', ttl: 60 }
        ]
      },
      'records/a/1: a: the same A record appears twice'
    ],
    ['a DS without NS', { a: [{ type: 'DS', value: `1 8 2 ${SHA256}` }] }, 'records/a: DS belongs beside the NS']
  ])('names %s at fault', (_, records, message) => expect(problemsOf({ records }).join()).toContain(message))

  it('lists several problems at once, up to twenty', () => {
    expect(problemsOf({ serial: 1.5, records: { A: [], b: [{ type: 'A', value: 'x' }] } })).toHaveLength(3)
    expect(problemsOf({ records: { a: Array.from({ length: 50 }, () => ({ type: 'A', value: 'x' })) } })).toHaveLength(
      20
    )
    for (const input of [null, [], 'x', {}, { records: [] }, { records: null }])
      expect(problemsOf(input)).toEqual(['records: an object of labels is expected'])
  })

  it('holds at most 256 records and 16 KiB', () => {
    const records = (count: number) => ({
      a: Array.from({ length: count }, (_, index) => ({ type: 'TXT', value: `t${index}` }))
    })
    expect(problemsOf({ records: records(256) })).toEqual([])
    expect(problemsOf({ records: records(257) })).toEqual(['records: a zone has at most 256 records'])
    const text = (length: number) => ({ records: { a: [{ type: 'TXT', value: 'x'.repeat(length) }] } })
    const overhead = serializeZone(parseZone(text(1), LOCAL), Number.MAX_SAFE_INTEGER, LOCAL).length - 1
    expect(problemsOf(text(16_384 - overhead))).toEqual([])
    expect(problemsOf(text(16_385 - overhead)).join()).toContain('at most 16384 bytes')
    // As many characters as a request can hold, which must not all be read. Quoted ones, each a piece, once overflowed
    // the stack.
    const quoted = { records: { a: [{ type: 'TXT', value: `"${'x'.repeat(250_000)}"` }] } }
    expect(problemsOf(quoted)).toEqual([
      'records/a/0/value: a: the value of TXT is longer than a zone may be, 16384 bytes'
    ])
  })
})

describe('a payload', () => {
  it.each([
    ['', 0],
    ['x', 0],
    ['[]', 0],
    ['{}', 0],
    ['{"records":{},"serial":-1}', 0],
    ['{"records":{},"serial":1.5}', 0],
    ['{"records":{},"serial":"1"}', 0],
    ['{"serial":5,"records":{}}', 0],
    ['{"records":{},"serial":9007199254740992}', 0]
  ])('%j is no zone and counts as serial 0', (text) => {
    expect(payloadSerial(utf8(text), LOCAL)).toBe(0)
    expect(() => parseZonePayload(utf8(text), LOCAL)).toThrow(expect.objectContaining({ rule: 'payload' }) as Error)
  })

  it('counts as serial 0 when it nests deeper than 32 levels, and not before', () => {
    const nested = (levels: number): Uint8Array =>
      utf8(`{"serial":5,"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`)
    expect([payloadSerial(nested(32), LOCAL), payloadSerial(nested(33), LOCAL)]).toEqual([5, 0])
  })

  it('whose records break a rule keeps its serial, so that rules may grow', () => {
    const payload = utf8('{"records":{"a":[{"type":"NEW","value":"x"}]},"serial":5}')
    expect(payloadSerial(payload, LOCAL)).toBe(5)
    expect(() => parseZonePayload(payload, LOCAL)).toThrow(expect.objectContaining({ rule: 'zone' }) as Error)
  })

  it('over the limit is not looked at', () => {
    expect(payloadSerial(new Uint8Array(16_385), LOCAL)).toBe(0)
  })
})
