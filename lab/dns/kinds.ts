/** The kinds of query that both servers are sent. */
import { encodeOpt, encodeQuery, type Asked } from '../../scripts/dns/message.ts'
import { encodeName } from '../../scripts/dns/name.ts'
import { CODED } from './zone.ts'

export interface Kind {
  /** Unique; names it in the list of explained differences. */
  readonly title: string
  readonly packet: Buffer
  readonly transport: 'udp' | 'tcp'
}

const ID = 0x1234
const DNSSEC = { dnssecOk: true } as const

const kind = (title: string, asked: Asked, transport: Kind['transport'] = 'udp'): Kind => ({
  title,
  packet: encodeQuery(ID, asked),
  transport
})
const plain = (name: string, type: string, what = ''): Kind =>
  kind(`${name} ${type}${what}`, { name, type, flags: ['rd'] })
const signed = (name: string, type: string, what = ''): Kind =>
  kind(`${name} ${type} +dnssec${what}`, { name, type, edns: DNSSEC })
const raw = (title: string, packet: Buffer): Kind => ({ title, packet, transport: 'udp' })

const ALICE = encodeQuery(ID, { name: 'alice.chronym', type: 'A' })
/** Header of a query, with the counts of its sections. */
function header(...counts: readonly number[]): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt16BE(ID, 0)
  counts.forEach((count, index) => bytes.writeUInt16BE(count, 4 + 2 * index))
  return bytes
}
const FIXED = Buffer.from([0, 1, 0, 1])

/** Every type that a name may have, where it is. */
const PRESENT: readonly (readonly [name: string, type: string])[] = [
  ['alice.chronym', 'A'],
  ['alice.chronym', 'AAAA'],
  ['alice.chronym', 'MX'],
  ['alice.chronym', 'TXT'],
  ['alice.chronym', 'CAA'],
  ['alice.chronym', 'SSHFP'],
  ['alice.chronym', 'HTTPS'],
  ['_did.alice.chronym', 'TXT'],
  ['_443._tcp.alice.chronym', 'TLSA'],
  ['_sip._tcp.alice.chronym', 'SRV'],
  ['_http._tcp.alice.chronym', 'URI'],
  ['_dns.alice.chronym', 'SVCB'],
  ['ptr.alice.chronym', 'PTR'],
  ['www.alice.chronym', 'CNAME'],
  ['sub.alice.chronym', 'DS'],
  ['sub.alice.chronym', 'NS'],
  ['private.alice.chronym', 'A']
]

/** Shapes of names, each asked plainly and for signatures. */
const SHAPES: readonly (readonly [name: string, type: string, what: string])[] = [
  ['chronym', 'SOA', ' (apex)'],
  ['chronym', 'NS', ' (apex)'],
  ['chronym', 'A', ' (apex, no such type)'],
  ['nobody.chronym', 'A', ' (not registered)'],
  ['www.nobody.chronym', 'A', ' (below one not registered)'],
  ['nowhere.alice.chronym', 'A', ' (no such name)'],
  ['alice.chronym', 'SRV', ' (no such type)'],
  ['ent.alice.chronym', 'A', ' (empty non-terminal)'],
  ['b.ent.alice.chronym', 'TXT', ' (empty non-terminal)'],
  ['x.b.ent.alice.chronym', 'TXT', ' (below an empty non-terminal)'],
  ['any.wild.alice.chronym', 'A', ' (wildcard)'],
  ['a.b.wild.alice.chronym', 'TXT', ' (wildcard, two labels)'],
  ['any.wild.alice.chronym', 'AAAA', ' (wildcard, no such type)'],
  ['explicit.wild.alice.chronym', 'A', ' (beside a wildcard)'],
  ['x.explicit.wild.alice.chronym', 'A', ' (below a name beside a wildcard)'],
  ['x.ent.wild.alice.chronym', 'A', ' (below an empty non-terminal beside a wildcard)'],
  ['*.wild.alice.chronym', 'A', ' (the wildcard itself)'],
  ['any.dave.chronym', 'MX', ' (wildcard below a registered name)'],
  ['any.alias.alice.chronym', 'A', ' (wildcard CNAME)'],
  ['www.alice.chronym', 'A', ' (CNAME)'],
  ['www.alice.chronym', 'SRV', ' (CNAME to no such type)'],
  ['chain1.alice.chronym', 'AAAA', ' (CNAME chain)'],
  ['loop1.alice.chronym', 'A', ' (CNAME loop)'],
  ['self.alice.chronym', 'A', ' (CNAME to itself)'],
  ['out.alice.chronym', 'A', ' (CNAME out of the zone)'],
  ['dangling.alice.chronym', 'A', ' (CNAME to no such name)'],
  ['lookalike.alice.chronym', 'A', ' (CNAME to a name that ends alike)'],
  ['other.alice.chronym', 'A', ' (CNAME to a delegated name)'],
  ['toplain.alice.chronym', 'A', ' (CNAME below a delegation)'],
  ['www.sub.alice.chronym', 'A', ' (below a signed delegation)'],
  ['sub.alice.chronym', 'A', ' (at a signed delegation)'],
  ['www.plain.alice.chronym', 'A', ' (below an unsigned delegation)'],
  ['plain.alice.chronym', 'DS', ' (no DS)'],
  ['ns1.sub.alice.chronym', 'A', ' (glue)'],
  ['www.carol.chronym', 'A', ' (delegated at the registered name)'],
  ['carol.chronym', 'DS', ' (at the registered name)'],
  ['bob.chronym', 'A', ' (not settled)'],
  ['www.bob.chronym', 'A', ' (not settled, CNAME)'],
  ['nowhere.bob.chronym', 'A', ' (not settled, no such name)'],
  ['bob.chronym', 'MX', ' (not settled, no such type)'],
  ['any.wild.bob.chronym', 'TXT', ' (not settled, wildcard)'],
  ['bob.chronym', 'DS', ' (not settled, no DS)'],
  ['alice.chronym', 'DS', ' (settled, no DS)'],
  ['alice.chronym', 'TYPE39', ' (DNAME, which no zone has)'],
  ['long.alice.chronym', 'TXT', ' (longer than a datagram)'],
  ['alice.chronym', 'TYPE65280', ' (private type)']
]

/** What is asked of a name and of all below it, with its check code. */
const coded = (name: string): string => name.replace(CODED.of, CODED.name)
const ofCoded = ([name]: readonly [name: string, ...string[]]): boolean => name.endsWith(CODED.of)

/** Kinds for the name with a code, each with the same for the bare name. */
export const CODED_KINDS: readonly (readonly [coded: Kind, bare: Kind])[] = [
  ...PRESENT.filter(ofCoded).flatMap(([name, type]) => [
    [plain(coded(name), type), plain(name, type)] as const,
    [signed(coded(name), type), signed(name, type)] as const
  ]),
  ...SHAPES.filter(ofCoded).flatMap(([name, type, what]) => [
    [plain(coded(name), type, what), plain(name, type, what)] as const,
    [signed(coded(name), type, what), signed(name, type, what)] as const
  ])
]

export const KINDS: readonly Kind[] = [
  ...CODED_KINDS.map(([kind]) => kind),
  ...PRESENT.map(([name, type]) => plain(name, type)),
  ...PRESENT.map(([name, type]) => signed(name, type)),
  ...SHAPES.map(([name, type, what]) => plain(name, type, what)),
  ...SHAPES.map(([name, type, what]) => signed(name, type, what)),
  signed('chronym', 'DNSKEY', ' (apex)'),
  plain('example.com', 'A', ' (outside the zone)'),
  plain('', 'NS', ' (the root)'),
  plain('alice.chronym', 'ANY'),
  signed('alice.chronym', 'ANY'),
  plain('www.alice.chronym', 'ANY', ' (CNAME)'),
  plain('ent.alice.chronym', 'ANY', ' (empty non-terminal)'),
  kind('alice.chronym ANY over TCP', { name: 'alice.chronym', type: 'ANY' }, 'tcp'),
  plain('alice.chronym', 'RRSIG'),
  plain('alice.chronym', 'NSEC'),
  kind('alice.chronym A without RD', { name: 'alice.chronym', type: 'A' }),
  kind('alice.chronym A with RD, AD and CD', { name: 'alice.chronym', type: 'A', flags: ['rd', 'ad', 'cd'] }),
  kind('alice.chronym A, AA, TC and RA set in the query', {
    name: 'alice.chronym',
    type: 'A',
    flags: ['aa', 'tc', 'ra']
  }),
  kind('aLiCe.CHRonym A (0x20)', { name: 'aLiCe.CHRonym', type: 'A' }),
  kind('WwW.aLIce.chronYM AAAA (0x20, CNAME)', { name: 'WwW.aLIce.chronYM', type: 'AAAA' }),
  kind('aLiCe--7kQ2mX.CHRonym A (0x20, check code)', { name: 'aLiCe--7kQ2mX.CHRonym', type: 'A' }),
  kind('wWw.Alice--7KQ2MX.chronym AAAA (0x20, check code, CNAME)', { name: 'wWw.Alice--7KQ2MX.chronym', type: 'AAAA' }),
  kind('NoBody.Chronym A (0x20, not registered)', { name: 'NoBody.Chronym', type: 'A' }),
  kind('medium.alice.chronym TXT without EDNS', { name: 'medium.alice.chronym', type: 'TXT' }),
  kind('medium.alice.chronym TXT, 1,232 octets', { name: 'medium.alice.chronym', type: 'TXT', edns: {} }),
  kind('medium.alice.chronym TXT, 512 octets', { name: 'medium.alice.chronym', type: 'TXT', edns: { size: 512 } }),
  kind('medium.alice.chronym TXT, 100 octets', { name: 'medium.alice.chronym', type: 'TXT', edns: { size: 100 } }),
  kind('long.alice.chronym TXT, 4,096 octets', { name: 'long.alice.chronym', type: 'TXT', edns: { size: 4096 } }),
  kind('long.alice.chronym TXT, 65,535 octets', { name: 'long.alice.chronym', type: 'TXT', edns: { size: 65_535 } }),
  kind('long.alice.chronym TXT over TCP', { name: 'long.alice.chronym', type: 'TXT' }, 'tcp'),
  kind('long.alice.chronym TXT +dnssec over TCP', { name: 'long.alice.chronym', type: 'TXT', edns: DNSSEC }, 'tcp'),
  kind(
    'long.alice--7kq2mx.chronym TXT +dnssec over TCP',
    { name: `long.${CODED.name}`, type: 'TXT', edns: DNSSEC },
    'tcp'
  ),
  kind('nobody.chronym A over TCP', { name: 'nobody.chronym', type: 'A' }, 'tcp'),
  kind('EDNS of version 1', { name: 'alice.chronym', type: 'A', edns: { version: 1 } }),
  kind('EDNS with an unknown option', {
    name: 'alice.chronym',
    type: 'A',
    edns: { options: [[65_001, Buffer.from('?')]] }
  }),
  kind('EDNS with a client cookie', {
    name: 'alice.chronym',
    type: 'A',
    edns: { options: [[10, Buffer.alloc(8, 7)]] }
  }),
  kind('EDNS with a cookie of 5 octets', {
    name: 'alice.chronym',
    type: 'A',
    edns: { options: [[10, Buffer.alloc(5)]] }
  }),
  kind('EDNS with NSID', { name: 'alice.chronym', type: 'A', edns: { options: [[3, Buffer.alloc(0)]] } }),
  kind('class CH, version.bind TXT', { name: 'version.bind', type: 'TXT', class: 3 }),
  kind('class CH, alice.chronym A', { name: 'alice.chronym', type: 'A', class: 3 }),
  kind('class ANY', { name: 'alice.chronym', type: 'A', class: 255 }),
  kind('opcode IQUERY', { name: 'alice.chronym', type: 'A', opcode: 1 }),
  kind('opcode STATUS', { name: 'alice.chronym', type: 'A', opcode: 2 }),
  kind('opcode NOTIFY', { name: 'chronym', type: 'SOA', opcode: 4 }),
  kind('opcode UPDATE', { name: 'chronym', type: 'SOA', opcode: 5 }),
  kind('AXFR over UDP', { name: 'chronym', type: 'AXFR' }),
  kind('AXFR of a name over TCP', { name: 'alice.chronym', type: 'AXFR' }, 'tcp'),
  kind('IXFR over UDP', { name: 'chronym', type: 'IXFR' }),
  raw('a header alone', header(0, 0, 0, 0)),
  raw('11 octets', header(1, 0, 0, 0).subarray(0, 11)),
  raw('a question that is cut off', ALICE.subarray(0, 20)),
  raw('two questions', Buffer.concat([header(2, 0, 0, 0), ALICE.subarray(12), ALICE.subarray(12)])),
  raw('an octet after the question', Buffer.concat([ALICE, Buffer.of(0)])),
  raw('a name that points to itself', Buffer.concat([header(1, 0, 0, 0), Buffer.from([0xc0, 12]), FIXED])),
  raw('a name that points into the header', Buffer.concat([header(1, 0, 0, 0), Buffer.from([1, 97, 0xc0, 4]), FIXED])),
  raw(
    'a label of 64 octets',
    Buffer.concat([header(1, 0, 0, 0), Buffer.of(64), Buffer.alloc(64, 97), Buffer.of(0), FIXED])
  ),
  raw('a name of 257 octets', Buffer.concat([header(1, 0, 0, 0), encodeName(`${'a'.repeat(63)}.`.repeat(4)), FIXED])),
  raw('two OPT', Buffer.concat([header(1, 0, 0, 2), ALICE.subarray(12), encodeOpt({}), encodeOpt({})])),
  raw('an OPT that is cut off', Buffer.concat([header(1, 0, 0, 1), ALICE.subarray(12), encodeOpt({}).subarray(0, 8)])),
  raw('an option that is longer than its OPT', Buffer.concat([header(1, 0, 0, 1), ALICE.subarray(12), badOption()])),
  raw(
    'a record in the answer section',
    Buffer.concat([header(1, 1, 0, 0), ALICE.subarray(12), recordOf('alice.chronym')])
  ),
  raw('a reply', Buffer.concat([Buffer.from([ID >> 8, ID & 255, 0x80]), ALICE.subarray(3)]))
]

function badOption(): Buffer {
  const opt = encodeOpt({ options: [[65_001, Buffer.alloc(4)]] })
  opt.writeUInt16BE(200, 13)
  return opt
}

function recordOf(owner: string): Buffer {
  return Buffer.concat([encodeName(owner), FIXED, Buffer.from([0, 0, 0, 60, 0, 4, 192, 0, 2, 1])])
}
