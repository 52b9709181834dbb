/** Zones of every type, with any octet where a type takes any, and Unicode that seldom survives a program. */
import fc from 'fast-check'
import { parseZone, type Zone, type ZoneRecord } from '../../src/protocol/zone/zone.ts'
import { local as profile } from '../../src/protocol/profile/built-in.ts'
import { encodeMultibase } from '../../src/protocol/identity/did.ts'

export const APEX = 'alice.chronym'
const DID = `did:chronym:${encodeMultibase(Uint8Array.from([0x12, 0x20, ...new Uint8Array(32).fill(7)]))}`

/** Direction marks, joiners, blanks, line ends, what is not in NFC, a byte order mark, and what parsers take for their own. */
const ODD = [
  ...['\u200e', '\u202e', '\u200b', '\u200c', '\u200d', '\ufeff', '\u00a0', '\u3000', '\u0085', '\u2028', '\u2029'],
  ...['\u00ad', '\ufffd', '\u0301', 'e\u0301', 'é', 'ü', '中', '😀', '\u{e0001}', '\u{10ffff}', '\ue000', 'ſ', 'K'],
  ...[
    '\t',
    '\n',
    '\r',
    '\0',
    '\x7f',
    ' ',
    '  ',
    '"',
    '\\',
    ';',
    '(',
    ')',
    '$',
    '@',
    '#',
    ',',
    '=',
    '.',
    '$ORIGIN',
    '\\010'
  ]
]
const oddText = fc
  .array(fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: 'binary', maxLength: 6 })))
  .map((parts) => parts.join(''))
const octets = (maxLength: number) => fc.uint8Array({ maxLength })

const escaped = (bytes: Uint8Array): string =>
  Array.from(bytes, (octet) => `\\${String(octet).padStart(3, '0')}`).join('')
/** Quoted, each octet as itself where that can be, or escaped in one of its ways. */
const quoted = (maxLength: number) =>
  fc.tuple(octets(maxLength), fc.boolean()).map(([bytes, isPlain]) => {
    const text = Array.from(bytes, (octet) => {
      const character = String.fromCharCode(octet)
      if (!isPlain || octet < 0x20 || octet > 0x7e) return escaped(Uint8Array.of(octet))
      return /["\\]/.test(character) ? `\\${character}` : character
    })
    return `"${text.join('')}"`
  })
const u16 = fc.integer({ min: 0, max: 65_535 })
const u8 = fc.integer({ min: 0, max: 255 })
const hex = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => Buffer.from(bytes).toString('hex'))
const host = fc.constantFrom(
  'www',
  '@',
  'mail.example.org',
  'MX.Example.ORG.',
  'a.b.alice.chronym',
  '_x_y.example.org.'
)
/** Ends with a zero: a label of letters alone that ends with a hyphen is none. */
const label = fc.uint8Array({ maxLength: 20 }).map((bytes) => `${escaped(bytes)}\\000`)
const target = fc.oneof(
  host,
  fc.constantFrom(String.raw`a\.b.example.org.`, String.raw`\@`, String.raw`\@.example.org`, String.raw`a\.b`),
  label.map((each) => `${each}.example.org`),
  label
)
const ipv4 = fc.tuple(u8, u8, u8, u8).map((parts) => parts.join('.'))
const ipv6 = fc
  .array(u16, { minLength: 8, maxLength: 8 })
  .map((groups) => groups.map((group) => group.toString(16)).join(':'))

/** The items of an alpn list by octets, escaped for the list and then for the word (RFC 9460, A.1). */
const alpn = fc.array(fc.uint8Array({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }).map((ids) => {
  const list = ids.map((id) =>
    Array.from(id, (octet) => (octet === 0x2c || octet === 0x5c ? [0x5c, octet] : [octet])).flat()
  )
  const bytes = Uint8Array.from(list.flatMap((id, index) => (index === 0 ? id : [0x2c, ...id])))
  return `alpn=${escaped(bytes)}`
})
const parameters = fc
  .tuple(
    fc.option(alpn, { nil: 'alpn=h2' }),
    fc.option(
      u16.map((port) => `port=${port}`),
      { nil: '' }
    ),
    fc.option(
      fc.array(ipv4, { minLength: 1, maxLength: 3 }).map((list) => `ipv4hint=${list.join(',')}`),
      { nil: '' }
    ),
    fc.option(
      fc.array(ipv6, { minLength: 1, maxLength: 2 }).map((list) => `ipv6hint="${list.join(',')}"`),
      { nil: '' }
    ),
    fc.constantFrom('', 'no-default-alpn', 'mandatory=alpn', 'ech=AAT+DQAA', 'dohpath=/dns-query{?dns}'),
    fc.constantFrom('', 'ohttp', 'key8', 'tls-supported-groups=29,23', 'docpath', 'docpath=rd,x'),
    fc.option(
      quoted(20).map((text) => `key667=${text}`),
      { nil: '' }
    )
  )
  .map((list) => list.filter((each) => each !== '').join(' '))
const binding = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 65_535 }), fc.oneof(target, fc.constant('.')), parameters)
    .map((list) => list.join(' ')),
  target.map((name) => `0 ${name}`)
)

const record = (type: string, value: fc.Arbitrary<string>): fc.Arbitrary<ZoneRecord> =>
  fc
    .tuple(value, fc.option(fc.integer({ min: 30, max: 86_400 }), { nil: undefined }))
    .map(([text, ttl]) => ({ type, value: text, ...(ttl === undefined ? {} : { ttl }) }) as ZoneRecord)

const words = (...parts: fc.Arbitrary<string | number>[]) => fc.tuple(...parts).map((list) => list.join(' '))

const anyRecord = fc.oneof(
  record('A', ipv4),
  record('AAAA', ipv6),
  record(
    'TXT',
    oddText.filter((text) => text !== '' && !text.startsWith('"'))
  ),
  record(
    'TXT',
    fc.array(quoted(255), { minLength: 1, maxLength: 3 }).map((list) => list.join(' '))
  ),
  record('MX', words(u16, target)),
  record('MX', fc.constant('0 .')),
  record('SRV', words(u16, u16, u16, target)),
  record('PTR', target),
  record('CAA', words(u8, fc.constantFrom('issue', 'issuewild', 'iodef'), quoted(40))),
  record('TLSA', words(u8, u8, fc.constant(1), hex(32))),
  record('SSHFP', words(u8, fc.constant(2), hex(32))),
  record('SVCB', binding),
  record('HTTPS', binding),
  record(
    'URI',
    words(
      u16,
      u16,
      octets(20).map(
        (bytes) => `"sip:${escaped(bytes.map((octet) => (octet <= 0x20 || octet === 0x7f ? 0x61 : octet)))}a"`
      )
    )
  ),
  record('KID', fc.constant(DID))
)
const delegation = fc
  .tuple(
    fc.array(record('NS', target), { minLength: 1, maxLength: 2 }),
    fc.array(record('DS', words(u16, u8, fc.constant(2), hex(32))), { maxLength: 2 })
  )
  .map((lists) => lists.flat())
const alias = record('CNAME', target).map((each) => [each])

const owners = fc.constantFrom('www', 'a.b', '_443._tcp', '*.wild', 'in', '300', 'mx', 'a', 'constructor')

/** Valid by the rules; of the drawn records those that a zone may have together. */
export const anyZone: fc.Arbitrary<Zone> = fc
  .record({
    apex: fc.array(anyRecord, { maxLength: 6 }),
    others: fc.array(fc.tuple(owners, fc.oneof(fc.array(anyRecord, { minLength: 1, maxLength: 3 }), alias)), {
      maxLength: 4
    }),
    cut: fc.oneof(fc.constant([]), delegation)
  })
  .map(({ apex, others, cut }) => {
    const labels = Object.entries({ '@': apex, ...Object.fromEntries(others), cut })
    return { records: Object.fromEntries(labels.map(([name, list]) => [name, once(list)])) }
  })
  .filter(isValid)

/** Without what a master file does not know. */
export const withoutKid = ({ records }: Zone): Zone => ({
  records: Object.fromEntries(
    Object.entries(records).map(([label, list]) => [label, list.filter(({ type }) => type !== 'KID')])
  )
})

function once(list: readonly ZoneRecord[]): ZoneRecord[] {
  return [...new Map(list.map((each) => [`${each.type} ${each.value}`, each])).values()]
}

function isValid(zone: Zone): boolean {
  try {
    parseZone(zone, profile)
    return true
  } catch (error) {
    // A lone surrogate, or too long a name: not what is looked for here. Any other refusal fails the property.
    if (/surrogate|at most|well-formed|control characters/i.test(String(error))) return false
    throw error
  }
}
