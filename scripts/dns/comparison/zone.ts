/** The zone that both servers serve: all 16 types of record, and every shape that decides an answer. */

/** What the server says of itself; its serial is the time of its start, here a given one. */
export const SERIAL = 1_700_000_000
const APEX = `
$ORIGIN chronym.
$TTL 300
@ 60 SOA localhost. nobody.invalid. ${SERIAL} 3600 600 86400 60
@ 3600 NS localhost.
`

/** By registered name: its master file, relative to `chronym.`. */
export const NAMES: Readonly<Record<string, string>> = {
  'alice.chronym': `
alice A 192.0.2.10
alice A 192.0.2.11
alice AAAA 2001:db8::10
alice MX 10 mail.alice
alice MX 20 mx.example.net.
alice TXT "v=spf1 mx -all"
alice CAA 0 issue "ca.example.net"
alice SSHFP 4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789
alice HTTPS 1 . alpn=h2,h3 ipv4hint=192.0.2.10
_did.alice TXT "did=did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"
_443._tcp.alice TLSA 3 1 1 92003ba34942dc74152e2f2c408d29eca5a520e7f2e06bb944f4dca346baf63c
_sip._tcp.alice SRV 10 60 5060 sip.alice
_http._tcp.alice URI 10 1 "https://alice.chronym/"
_dns.alice SVCB 1 mail.alice alpn=dot port=853
ptr.alice PTR www.alice
www.alice CNAME alice
mail.alice 60 A 192.0.2.25
mail.alice AAAA 2001:db8::25
private.alice A 10.1.2.3
chain1.alice CNAME chain2.alice
chain2.alice CNAME chain3.alice
chain3.alice CNAME www.alice
loop1.alice CNAME loop2.alice
loop2.alice CNAME loop1.alice
self.alice CNAME self.alice
out.alice CNAME www.example.com.
dangling.alice CNAME nowhere.alice
other.alice CNAME carol
*.wild.alice A 192.0.2.40
*.wild.alice TXT "from the wildcard"
explicit.wild.alice AAAA 2001:db8::41
below.ent.wild.alice A 192.0.2.42
*.alias.alice CNAME www.alice
deep.a.b.ent.alice TXT "under empty non-terminals"
sub.alice NS ns1.sub.alice
sub.alice NS ns.example.net.
sub.alice DS 12345 13 2 6cf5a3f9e2a7a5f1c7cbf2b4a1f3b8f4c1b5a2d8e7f60918273645546372819a
ns1.sub.alice A 192.0.2.53
ns1.sub.alice AAAA 2001:db8::53
plain.alice NS ns.example.org.
toplain.alice CNAME www.plain.alice
medium.alice TXT ${strings(4)}
long.alice TXT ${strings(12)}
`,
  'carol.chronym': `
carol NS ns.carol
ns.carol A 192.0.2.60
carol DS 54321 13 2 92003ba34942dc74152e2f2c408d29eca5a520e7f2e06bb944f4dca346baf63c
`,
  'dave.chronym': `
dave A 192.0.2.70
*.dave A 192.0.2.71
*.dave MX 5 dave
`
}

/** A name that is not settled: to Knot an unsigned zone of its own, below an insecure delegation. */
export const INSECURE = {
  name: 'bob.chronym',
  text: `
$ORIGIN chronym.
$TTL 300
bob 60 SOA localhost. nobody.invalid. ${SERIAL} 3600 600 86400 60
bob A 192.0.2.80
www.bob CNAME bob
*.wild.bob TXT "unsigned"
`,
  /** Knot loads no zone without NS. */
  delegation: 'bob 3600 NS localhost.\n'
}

export const ABSENT = 'nobody.chronym'

export const masterFile = (): string => APEX + Object.values(NAMES).join('') + INSECURE.delegation

function strings(count: number): string {
  return Array.from({ length: count }, (_, index) => `"${String.fromCharCode(97 + index).repeat(250)}"`).join(' ')
}
