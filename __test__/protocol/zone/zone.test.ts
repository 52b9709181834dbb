import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/protocol/encoding/bytes.ts'
import {
  parseZone,
  parseZonePayload,
  payloadSerial,
  serializeZone,
  ZoneError
} from '../../../src/protocol/zone/zone.ts'
import { LOCAL } from '../fixtures.ts'
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
    ['the value', { a: [{ type: 'A', value: '1.2' }] }, 'records/a/0/value: a: A: "1.2" is not an IPv4 address'],
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
  ])('%j is not a zone and counts as serial 0', (text) => {
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
