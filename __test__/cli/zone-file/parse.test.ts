import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changesBetween, isUnchanged } from '../../../src/cli/zone/changes.ts'
import { formatMasterFile } from '../../../src/cli/zone-file/format.ts'
import { parseMasterFile } from '../../../src/cli/zone-file/parse.ts'

const APEX = 'alice.chronym'

const recordsOf = (text: string) => {
  const { zone, problems } = parseMasterFile(text, APEX)
  expect(problems).toEqual([])
  return { ...zone.records }
}
const problemsOf = (text: string) => parseMasterFile(text, APEX).problems

describe('a master file', () => {
  it('has origins, TTLs, parentheses, comments, quotes, escapes and repeated owners', () => {
    const text = `; the zone of alice
$TTL 1h
@   IN SOA ns1 hostmaster (
        2026112201 ; serial
        1h 15m 30d 1h )
    IN NS  ns1.example.net.
    300 MX 10 mail
www 2H IN A 192.0.2.1
    IN 30m AAAA 2001:db8::1 ; the same owner
$ORIGIN sub.alice.chronym.
@   TXT ( "a;b" ; not here
          "c\\"d" ) e\\;f
x   CNAME y
y   CNAME www.alice.chronym.
z   CNAME @
$ORIGIN chronym.
ALICE 1d CAA 0 issue "ca.example; x=\\"y\\""
_sip._tcp.alice SRV 0 5 5060 sip.alice
*.Alice.Chronym. HTTPS 1 . alpn="h2,h3"\r
`
    expect(recordsOf(text)).toEqual({
      '@': [
        { type: 'NS', value: 'ns1.example.net.', ttl: 3600 },
        { type: 'MX', value: '10 mail' },
        { type: 'CAA', value: '0 issue "ca.example; x=\\"y\\""', ttl: 86_400 }
      ].map((record) => (record.type === 'MX' ? { ...record, ttl: 300 } : record)),
      www: [
        { type: 'A', value: '192.0.2.1', ttl: 7200 },
        { type: 'AAAA', value: '2001:db8::1', ttl: 1800 }
      ],
      sub: [{ type: 'TXT', value: '"a;b" "c\\"d" "e;f"', ttl: 3600 }],
      'x.sub': [{ type: 'CNAME', value: 'y.sub.alice.chronym.', ttl: 3600 }],
      'y.sub': [{ type: 'CNAME', value: 'www', ttl: 3600 }],
      'z.sub': [{ type: 'CNAME', value: 'sub', ttl: 3600 }],
      '_sip._tcp': [{ type: 'SRV', value: '0 5 5060 sip', ttl: 3600 }],
      '*': [{ type: 'HTTPS', value: '1 . alpn="h2,h3"', ttl: 3600 }]
    })
    expect(parseMasterFile(text, APEX).soaLine).toBe(3)
  })

  it('gives a record without TTL that of $TTL, else the one stated last, else none', () => {
    expect(
      recordsOf('a A 192.0.2.1\nb 600 A 192.0.2.1\nc A 192.0.2.1\n$TTL 2m\nd A 192.0.2.1\n$TTL 300\ne A 192.0.2.1\n')
    ).toEqual({
      a: [{ type: 'A', value: '192.0.2.1' }],
      b: [{ type: 'A', value: '192.0.2.1', ttl: 600 }],
      c: [{ type: 'A', value: '192.0.2.1', ttl: 600 }],
      d: [{ type: 'A', value: '192.0.2.1', ttl: 120 }],
      e: [{ type: 'A', value: '192.0.2.1' }]
    })
  })

  it('may have owners that look like something else', () => {
    expect(
      Object.keys(recordsOf('300 A 192.0.2.1\nin A 192.0.2.1\nmx A 192.0.2.1\nconstructor A 192.0.2.1\n')).sort()
    ).toEqual(['300', 'constructor', 'in', 'mx'])
  })

  it('may have a tab in quotes, which a zone has as an escape', () => {
    expect(recordsOf('a TXT "x\ty"')).toEqual({ a: [{ type: 'TXT', value: '"x\\009y"' }] })
  })

  it('takes a record that is there twice as one', () => {
    expect(recordsOf('a A 192.0.2.1\na A 192.0.2.1\n')).toEqual({ a: [{ type: 'A', value: '192.0.2.1' }] })
  })

  it.each([
    ['a A 192.0.2.1\n\nb FOO x', 3, 'FOO is not a type of a Chronym zone'],
    ['  A 192.0.2.1', 1, 'no owner'],
    ['a A (\n192.0.2.1\n', 1, 'a parenthesis is not closed'],
    ['a A 192.0.2.1 )', 1, 'closed that was not opened'],
    ['a A ( (192.0.2.1) )', 1, 'open already'],
    ['a TXT "open\nb A 192.0.2.1', 1, 'a quote is not closed'],
    ['a TXT "x"y', 1, 'a space must follow'],
    ['a TXT x"y"', 1, 'put the whole string in quotes'],
    ['a TXT "\\256"', 1, 'not an octet'],
    ['a TXT "\\1"', 1, 'not an octet'],
    ['a TXT x\\', 1, 'a backslash'],
    ['a TXT \u0007', 1, 'U+0007 stands here: delete it, or write \\007'],
    ['a A 192.0.2.1\r\n\u001a', 2, 'U+001A (Ctrl-Z, the end of a file under DOS)'],
    ['a A 192.0.2.1\n\0\0\n', 2, 'U+0000 (NUL,'],
    ['a A 192.0.2.1\ra MX 10 mail\r', 1, 'a line ends with CR alone'],
    ['; a comment\ra A 192.0.2.1\r', 1, 'a line ends with CR alone'],
    ['a A 192.0.2.1\r\n; a comment\rb A 192.0.2.1\r\n', 2, 'a line ends with CR alone'],
    ['a 2d A 192.0.2.1', 1, 'not 172800'],
    ['$TTL 1w\na A 192.0.2.1', 2, 'not 604800'],
    ['$TTL 99999999999', 1, 'longer than'],
    ['$TTL x', 1, 'is not a TTL'],
    ['$TTL', 1, 'takes one value'],
    ['$INCLUDE other.zone', 1, 'is not read'],
    ['$GENERATE 1-9 a$ A 192.0.2.$', 1, 'is not read'],
    ['$FOO x', 1, 'not a directive'],
    ['a CH A 192.0.2.1', 1, 'class CH'],
    ['a', 1, 'the type is missing'],
    ['a 300 IN', 1, 'the type is missing'],
    ['a A', 1, 'A has no value'],
    ['a A \\# 4 c0000201', 1, 'RFC 3597'],
    ['a "A" 192.0.2.1', 1, 'not a record type'],
    ['www.example.com. A 192.0.2.1', 1, 'outside of the zone'],
    ['notalice.chronym. A 192.0.2.1', 1, 'outside of the zone'],
    ['$ORIGIN example.com.\nwww A 192.0.2.1', 2, 'outside of the zone'],
    ['a..b A 192.0.2.1', 1, 'is not a name'],
    ['a\\.b A 192.0.2.1', 1, 'quotes and escapes'],
    ['a MX 10 "mail"', 1, 'quotes and escapes']
  ])('%j is refused at line %d', (text, line, message) => {
    expect(problemsOf(text)).toEqual([{ line, message: expect.stringContaining(message) as string }])
  })

  it('is read to its end: every line at fault is named, and a broken one takes no other with it', () => {
    const { zone, problems } = parseMasterFile('a TXT "open\nb A 192.0.2.1\nc FOO x\nd A 192.0.2.2\n', APEX)
    expect(problems.map(({ line }) => line)).toEqual([1, 3])
    expect(Object.keys(zone.records)).toEqual(['b', 'd'])
  })

  it('says which line each record comes from', () => {
    expect({ ...parseMasterFile('\na A 192.0.2.1\nb A (\n 192.0.2.1 )\na A 192.0.2.2\n', APEX).lines }).toEqual({
      a: [2, 5],
      b: [3]
    })
  })

  it('of any text throws nothing, and puts nothing in the prototype', () => {
    const pieces = fc.constantFrom(
      '@',
      'a',
      'www',
      'IN',
      'A',
      'TXT',
      'MX',
      '10',
      '1h',
      '192.0.2.1',
      '"',
      '\\',
      '(',
      ')',
      ';',
      '\n',
      ' ',
      '\t',
      '\r',
      '$TTL',
      '$ORIGIN',
      '.',
      'é',
      '\\065',
      '__proto__',
      '\u0000'
    )
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
        (text) => {
          const { zone, problems } = parseMasterFile(text, APEX)
          for (const { line } of problems) expect(line).toBeLessThanOrEqual(text.split('\n').length)
          expect(Object.getPrototypeOf(zone.records)).toBeNull()
        }
      ),
      { seed: 1 }
    )
  })
})

it('a zone without records is a master file too', () => {
  expect(formatMasterFile({ records: {} }, APEX)).toBe('$ORIGIN alice.chronym.\n$TTL 300\n')
})

describe('the changes between two zones', () => {
  it('are what comes, what goes and what has another TTL, whatever the spelling', () => {
    const before = {
      records: {
        www: [
          { type: 'A', value: '192.0.2.1', ttl: 300 },
          { type: 'TXT', value: 'hi' }
        ],
        mail: [{ type: 'CNAME', value: 'Mx.example.com' }]
      }
    }
    const after = {
      records: {
        www: [
          { type: 'A', value: '192.0.2.1', ttl: 60 },
          { type: 'TXT', value: '"hi"' },
          { type: 'A', value: '192.0.2.2' }
        ],
        mail: []
      }
    }
    expect(changesBetween(before, after)).toEqual({
      added: [{ label: 'www', type: 'A', value: '192.0.2.2' }],
      removed: [{ label: 'mail', type: 'CNAME', value: 'Mx.example.com' }],
      retimed: [{ label: 'www', type: 'A', value: '192.0.2.1', ttl: 60, former: 300 }]
    })
    expect(
      isUnchanged(
        changesBetween(before, { records: { ...before.records, mail: [{ type: 'CNAME', value: 'mx.example.com.' }] } })
      )
    ).toBe(true)
  })
})
