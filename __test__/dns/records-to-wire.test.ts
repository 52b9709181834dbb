import { describe, expect, it } from 'vitest'
import { zoneToWire, wireName } from '../../src/dns/wire.ts'
import { toHex } from '../../src/protocol/encoding/bytes.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { DEFAULT_TTL, parseZone, type ZoneRecord } from '../../src/protocol/zone/zone.ts'
import { RECORD_TYPES } from '../../src/protocol/zone/record-data.ts'
import { readRecords } from './read-records.ts'

const profile = builtInProfiles.local
const NAME = 'alice.chronym'
const DID = 'did:chronym:zQmWvQxTqbG2Z9HPJgG57jjwR154cKhbtJenbyYTWkjgF3e'

/** Presentation form, type and data, made with dnspython 2.3 from the same text with absolute names. */
const DATA: readonly (readonly [type: string, value: string, number: number, data: string])[] = [
  ['A', '192.0.2.10', 1, 'c000020a'],
  ['AAAA', '2001:db8::1:0:10', 28, '20010db8000000000000000100000010'],
  ['AAAA', '::ffff:192.0.2.7', 28, '00000000000000000000ffffc0000207'],
  ['CNAME', 'www', 5, '0377777705616c696365076368726f6e796d00'],
  ['CNAME', 'Target.Example', 5, '06746172676574076578616d706c6500'],
  ['NS', 'ns1.example.net.', 2, '036e7331076578616d706c65036e657400'],
  ['PTR', '@', 12, '05616c696365076368726f6e796d00'],
  ['TXT', '"v=spf1 -all" "two \\"words\\"" "\\200\\001"', 16, '0b763d73706631202d616c6c0b74776f2022776f7264732202c801'],
  ['MX', '10 mail', 15, '000a046d61696c05616c696365076368726f6e796d00'],
  ['MX', '0 .', 15, '000000'],
  ['SRV', '1 2 5060 sip.example.net', 33, '0001000213c403736970076578616d706c65036e657400'],
  ['CAA', '128 issue "ca.example; policy=ev"', 257, '8005697373756563612e6578616d706c653b20706f6c6963793d6576'],
  [
    'TLSA',
    '3 1 1 abababababababababababababababababababababababababababababababab',
    52,
    '030101abababababababababababababababababababababababababababababababab'
  ],
  [
    'SSHFP',
    '4 2 0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f',
    44,
    '04020f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f'
  ],
  [
    'SVCB',
    '1 . alpn=h2,h3 port=8443 ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1 mandatory=alpn,port',
    64,
    '0001000000000400010003000100060268320268330003000220fb00040008c0000201c00002020006001020010db8000000000000000000000001'
  ],
  ['SVCB', '0 pool.example.net', 64, '000004706f6f6c076578616d706c65036e657400'],
  [
    'HTTPS',
    '1 svc key65000="a b" alpn="h2" no-default-alpn ech=AAECAw==',
    65,
    '00010373766305616c696365076368726f6e796d0000010003026832000200000005000400010203fde80003612062'
  ],
  [
    'URI',
    '10 1 "https://alice.example/path?x=1"',
    256,
    '000a000168747470733a2f2f616c6963652e6578616d706c652f706174683f783d31'
  ],
  [
    'DS',
    '60485 13 2 2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b',
    43,
    'ec450d022b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b'
  ]
]

function served(records: Record<string, Partial<ZoneRecord>[]>, name = NAME) {
  return readRecords(zoneToWire(parseZone({ records }, profile), name, profile))
}

describe('records on the wire', () => {
  it('are tested in every type', () => {
    expect(new Set([...DATA.map(([type]) => type), 'KID'])).toEqual(new Set(RECORD_TYPES))
  })

  it.each(DATA)('%s %s', (type, value, number, data) => {
    // DS belongs beside the NS of a delegation.
    const beside = type === 'DS' ? [{ type: 'NS', value: 'ns1.example.net' } as const] : []
    const found = served({ www: [{ type, value, ttl: 60 } as Partial<ZoneRecord>, ...beside] })
    expect(found[0]).toEqual({ owner: 'www.alice.chronym', type: number, class: 1, ttl: 60, data })
  })

  it('has the owners of the apex, of deep labels, of wildcards and of services', () => {
    const a: Partial<ZoneRecord>[] = [{ type: 'A', value: '192.0.2.1' }]
    expect(served({ '@': a, 'a.b.c': a, '*': a, '*.x': a, '_sip._tcp': a }).map(({ owner }) => owner)).toEqual([
      'alice.chronym',
      'a.b.c.alice.chronym',
      '*.alice.chronym',
      '*.x.alice.chronym',
      '_sip._tcp.alice.chronym'
    ])
  })

  it('has the default TTL where the zone names none, and one TTL for an owner and type', () => {
    const found = served({
      '@': [
        { type: 'A', value: '192.0.2.1' },
        { type: 'A', value: '192.0.2.2', ttl: 86_400 },
        { type: 'A', value: '192.0.2.3', ttl: 45 },
        { type: 'TXT', value: '"x"' }
      ]
    })
    expect(found.map(({ type, ttl }) => [type, ttl])).toEqual([
      [1, 45],
      [1, 45],
      [1, 45],
      [16, DEFAULT_TTL]
    ])
  })

  it('gives a KID as TXT at _did', () => {
    const kid: Partial<ZoneRecord>[] = [{ type: 'KID', value: DID, ttl: 90 }]
    const found = served({ '@': kid, mail: kid })
    const text = `did=${DID}`
    const data = toHex(Uint8Array.of(text.length)) + Buffer.from(text).toString('hex')
    expect(found).toEqual([
      { owner: '_did.alice.chronym', type: 16, class: 1, ttl: 90, data },
      { owner: '_did.mail.alice.chronym', type: 16, class: 1, ttl: 90, data }
    ])
  })

  it('joins the TXT of a KID with TXT records of the zone there', () => {
    const found = served({
      '@': [{ type: 'KID', value: DID, ttl: 900 }],
      _did: [
        { type: 'TXT', value: `did=${DID}`, ttl: 60 },
        { type: 'TXT', value: 'more', ttl: 600 }
      ]
    })
    expect(found.map(({ owner, ttl }) => [owner, ttl])).toEqual([
      ['_did.alice.chronym', 60],
      ['_did.alice.chronym', 60]
    ])
  })

  it('leaves a KID out beside a CNAME, and where its name would be too long', () => {
    const kid: Partial<ZoneRecord>[] = [{ type: 'KID', value: DID }]
    const cname = served({ '@': kid, _did: [{ type: 'CNAME', value: 'other.example.net' }] })
    expect(cname.map(({ type }) => type)).toEqual([5])

    const name = `${'a'.repeat(63)}.chronym`
    const label = `${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(53)}`
    expect(served({ [label]: [...kid, { type: 'A', value: '192.0.2.1' }] }, name)).toMatchObject([{ type: 1 }])
  })

  it('has a record once that the zone spells in two ways', () => {
    const found = served({
      '@': [
        { type: 'AAAA', value: '2001:db8::1' },
        { type: 'AAAA', value: '2001:DB8:0::1' },
        { type: 'NS', value: 'NS.example.net' },
        { type: 'NS', value: 'ns.example.net.' }
      ]
    })
    expect(found.map(({ type }) => type)).toEqual([28, 2])
  })

  it('cuts plain text into strings of 255 octets', () => {
    const [record] = served({ '@': [{ type: 'TXT', value: 'x'.repeat(300) }] })
    expect(record!.data).toBe(`ff${'78'.repeat(255)}2d${'78'.repeat(45)}`)
  })

  it('are served under the name with its code, and what they lead to within the zone too', () => {
    const coded = 'alice--7kq2mx.chronym'
    const records = parseZone(
      {
        records: {
          '@': [
            { type: 'A', value: '192.0.2.1' },
            { type: 'MX', value: '10 mail.alice.chronym.' }
          ],
          www: [{ type: 'CNAME', value: '@' }],
          other: [{ type: 'CNAME', value: 'malice.chronym.' }]
        }
      },
      profile
    )
    const found = readRecords(zoneToWire(records, NAME, profile, coded))
    const hex = (name: string): string => toHex(wireName(name))
    expect(found.map(({ owner, data }) => [owner, data])).toEqual([
      [coded, 'c0000201'],
      [coded, `000a${hex(`mail.${coded}`)}`],
      [`www.${coded}`, hex(coded)],
      [`other.${coded}`, hex('malice.chronym')]
    ])
  })

  it('of an empty zone are none', () => {
    expect(zoneToWire({ records: {} }, NAME, profile)).toEqual(new Uint8Array(0))
  })
})
