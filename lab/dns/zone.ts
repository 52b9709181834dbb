/** The zone that both servers serve: all 16 types of record, and every shape that decides an answer. */

/** What the server says of itself; its serial is the time of its start, here a given one. */
export const SERIAL = 1_700_000_000
/** Seconds, of records that name no other. */
const TTL = 300
const APEX = `
$ORIGIN chronym.
$TTL ${TTL}
@ 60 SOA localhost. nobody.invalid. ${SERIAL} 3600 600 86400 60
@ 3600 NS localhost.
`

/**
 * By registered name: lines with an owner relative to it, perhaps a TTL, type and data. The API takes their values and a
 * master file has them, in the same text.
 */
export const NAMES: Readonly<Record<string, string>> = {
  'alice.chronym': `
@ A 192.0.2.10
@ A 192.0.2.11
@ AAAA 2001:db8::10
@ MX 10 mail
@ MX 20 mx.example.net.
@ TXT "v=spf1 mx -all"
@ CAA 0 issue "ca.example.net"
@ SSHFP 4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789
@ HTTPS 1 . alpn=h2,h3 ipv4hint=192.0.2.10
_did TXT "did=did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"
_443._tcp TLSA 3 1 1 92003ba34942dc74152e2f2c408d29eca5a520e7f2e06bb944f4dca346baf63c
_sip._tcp SRV 10 60 5060 sip
_http._tcp URI 10 1 "https://alice.chronym/"
_dns SVCB 1 mail alpn=dot port=853
ptr PTR www
www CNAME @
mail 60 A 192.0.2.25
mail AAAA 2001:db8::25
private A 10.1.2.3
chain1 CNAME chain2
chain2 CNAME chain3
chain3 CNAME www
loop1 CNAME loop2
loop2 CNAME loop1
self CNAME self
out CNAME www.example.com.
dangling CNAME nowhere
lookalike CNAME malice.chronym.
other CNAME carol.chronym.
*.wild A 192.0.2.40
*.wild TXT "from the wildcard"
explicit.wild AAAA 2001:db8::41
below.ent.wild A 192.0.2.42
*.alias CNAME www
deep.a.b.ent TXT "under empty non-terminals"
sub NS ns1.sub.alice.chronym.
sub NS ns.example.net.
sub DS 12345 13 2 6cf5a3f9e2a7a5f1c7cbf2b4a1f3b8f4c1b5a2d8e7f60918273645546372819a
ns1.sub A 192.0.2.53
ns1.sub AAAA 2001:db8::53
plain NS ns.example.org.
toplain CNAME www.plain.alice.chronym.
medium TXT ${strings(4)}
long TXT ${strings(12)}
`,
  'carol.chronym': `
@ NS ns
ns A 192.0.2.60
@ DS 54321 13 2 92003ba34942dc74152e2f2c408d29eca5a520e7f2e06bb944f4dca346baf63c
`,
  'dave.chronym': `
@ A 192.0.2.70
* A 192.0.2.71
* MX 5 @
`
}

/** A name with the check code of its claim: the zone of that name, where targets within it carry the code too. */
export const CODED = { name: 'alice--7kq2mx.chronym', of: 'alice.chronym' } as const

/** A name that is not settled: to Knot an unsigned zone of its own, below an insecure delegation. */
export const INSECURE = {
  name: 'bob.chronym',
  text: `
$ORIGIN chronym.
$TTL ${TTL}
bob 60 SOA localhost. nobody.invalid. ${SERIAL} 3600 600 86400 60
bob A 192.0.2.80
www.bob CNAME bob
*.wild.bob TXT "unsigned"
`,
  /** Knot loads no zone without NS. */
  delegation: 'bob 3600 NS localhost.\n'
}

export const ABSENT = ['nobody.chronym', 'malice.chronym'] as const

export const masterFile = (): string =>
  [
    APEX,
    ...Object.entries(NAMES).map(([name, lines]) => below(name, lines)),
    codedFile(),
    `$ORIGIN chronym.\n${INSECURE.delegation}`
  ].join('')

/** The zone as the daemon reads it: labels with their records. */
export function recordsByLabel(name: string): Record<string, { type: string; value: string; ttl: number }[]> {
  const lines = NAMES[name]!.trim().split('\n')
  const records = lines.map((line) => {
    const [, label, ttl = String(TTL), type, value] = /^(\S+) (?:(\d+) )?([A-Z]+) (.*)$/.exec(line)!
    return [label!, { type: type!, value: value!, ttl: Number(ttl) }] as const
  })
  const grouped = [...Map.groupBy(records, ([label]) => label)]
  return Object.fromEntries(grouped.map(([label, list]) => [label, list.map(([, record]) => record)]))
}

const below = (name: string, lines: string): string => `$ORIGIN ${name}.${lines}`

/** For Knot a zone like any other: where a target names the zone, somebody has written the other name. */
function codedFile(): string {
  return below(CODED.name, NAMES[CODED.of]!.replaceAll(/(?<=[ .])alice\.chronym\.$/gm, `${CODED.name}.`))
}

function strings(count: number): string {
  return Array.from({ length: count }, (_, index) => `"${String.fromCharCode(97 + index).repeat(250)}"`).join(' ')
}
