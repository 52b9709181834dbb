/** Names and service parameters by octets: RFC 9460, appendices A.1 and D, and escaped dots in targets. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { zoneToWire } from '../../src/dns/wire.ts'
import { local as profile } from '../../src/protocol/profile/built-in.ts'
import { parseZone } from '../../src/protocol/zone/zone.ts'
import { readRecords } from './read-records.ts'

interface Vector {
  readonly section: string
  readonly type: string
  readonly value: string
  readonly wire: string
}
const vectors = JSON.parse(readFileSync(new URL('../vectors/rfc9460-d.json', import.meta.url), 'utf8')) as {
  readonly valid: readonly Vector[]
  readonly invalid: readonly Omit<Vector, 'wire'>[]
}

/** The data of one record, in hexadecimal. */
function dataOf(type: string, value: string): string {
  const zone = parseZone({ records: { www: [{ type, value }] } }, profile)
  return readRecords(zoneToWire(zone, 'alice.chronym', profile))[0]!.data
}
const name = (...labels: string[]): string =>
  `${labels.map((label) => label.length.toString(16).padStart(2, '0') + Buffer.from(label).toString('hex')).join('')}00`

describe('service parameters', () => {
  it.each(vectors.valid)('have the wire form of RFC 9460, $section', ({ type, value, wire }) =>
    expect(dataOf(type, value)).toBe(wire)
  )

  it.each(vectors.invalid)('are refused as in RFC 9460, $section: $value', ({ type, value }) =>
    expect(() => dataOf(type, value)).toThrow(type)
  )

  it.each([
    [String.raw`1 . alpn=h2\\,h3`, '000100060568322c6833', 'one id with a comma'],
    [String.raw`1 . alpn=h2\,h3`, '00010006026832026833', 'a comma that only the word escapes'],
    [String.raw`1 . alpn=h2\044h3`, '00010006026832026833', 'a comma by its number'],
    [String.raw`1 . alpn="\138\138,h2"`, '00010006028a8a026832', 'octets that are not UTF-8'],
    ['1 . ohttp', '00080000', 'a newer key'],
    ['1 . key8=""', '00080000', 'a newer key by its number'],
    ['1 . tls-supported-groups=29,23', '00090004001d0017', 'a list of numbers'],
    ['1 . docpath', '000a0000', 'an empty list'],
    ['1 . docpath=rd,x', '000a0005027264' + '0178', 'a list of texts']
  ])('%s is %s: %s', (value, parameters) => expect(dataOf('HTTPS', value)).toBe(`000100${parameters}`))

  it.each([
    String.raw`1 . alpn="a\\bc"`,
    '1 . alpn=h2,,h3',
    '1 . alpn=h2,',
    '1 . key65535=x',
    '1 . key00667=x',
    '1 . key1=x',
    '1 . ohttp=1',
    '1 . tls-supported-groups=29,x',
    `1 . port="${String.raw`\195\188`}"`
  ])('%s is refused', (value) => expect(() => dataOf('SVCB', value)).toThrow('SVCB'))
})

describe('a target', () => {
  it.each([
    ['CNAME', String.raw`a\.b.example.org.`, name('a.b', 'example', 'org')],
    ['NS', String.raw`a\046b.example.org.`, name('a.b', 'example', 'org')],
    ['PTR', String.raw`My\032Printer._ipp._tcp.example.org.`, name('My Printer', '_ipp', '_tcp', 'example', 'org')],
    ['MX', String.raw`10 first\.last.example.org.`, `000a${name('first.last', 'example', 'org')}`],
    ['SRV', String.raw`0 0 443 a\.b.example.org.`, `0000000001bb${name('a.b', 'example', 'org')}`],
    ['HTTPS', String.raw`1 a\.b.example.org.`, `0001${name('a.b', 'example', 'org')}`],
    ['CNAME', String.raw`x\.alice.chronym.`, name('x.alice', 'chronym')],
    ['CNAME', String.raw`a\.b`, name('a.b', 'alice', 'chronym')],
    ['CNAME', String.raw`\@`, name('@', 'alice', 'chronym')],
    ['CNAME', '@', name('alice', 'chronym')],
    ['CNAME', 'my_host.example.org', name('my_host', 'example', 'org')]
  ])('%s %s has one label for what is escaped', (type, value, wire) => {
    expect(Buffer.from(dataOf(type, value), 'hex').toString('latin1').toLowerCase()).toBe(
      Buffer.from(wire, 'hex').toString('latin1').toLowerCase()
    )
  })
})
