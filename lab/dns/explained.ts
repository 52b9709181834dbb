/** Why our replies differ from Knot's: reasons, each with the lines of a difference that it explains. */

export interface Reason {
  readonly heading: string
  readonly text: string
  /** Of `difference` (compare.ts): `-` Knot's, `+` ours. Every line of a difference must match one of a reason. */
  readonly lines: readonly RegExp[]
  /** Titles of the kinds that it is for, or what they have in common; without it all. */
  readonly kinds?: RegExp
}

export const REASONS: readonly Reason[] = [
  {
    heading: 'AD on secure answers',
    text: `Ours sets AD when the query has AD or DO and the daemon vouches for the answer: this server is where the
registry is validated, and \`ssh\` needs the bit. Knot is authoritative alone and never sets it.`,
    lines: [/^\+ flag: ad$/]
  },
  {
    heading: 'CD copied',
    text: 'Ours copies CD as a resolver does (RFC 4035, 3.2.2). Knot clears it.',
    lines: [/^\+ flag: cd$/]
  },
  {
    heading: 'No addresses beside the answer',
    text: `Knot adds the addresses of the hosts that MX, SRV and SVCB name. Stub resolvers ask for them anyway, and replies
stay smaller without. Glue of referrals is in both.`,
    lines: [/^- additional: \S+ \d+ (A|AAAA|RRSIG (A|AAAA)) /],
    kinds: / (MX|SVCB)\b/
  },
  {
    heading: 'Types in the proof of absence',
    text: `Ours lists the types that there are, and marks an absent name by NXNAME, TYPE128 (RFC 9824). Knot's module for
online signing lists AAAA and other types besides, and has no NXNAME.`,
    lines: [/^- authority: \S+ 60 NSEC \\000\./, /^\+ authority: \S+ 60 NSEC \\000\./],
    kinds: /\((?!.*(delegation|delegated|glue))/
  },
  {
    heading: 'Signed referrals',
    text: `Ours adds the signed DS, or the proof at the delegation that there is none (RFC 4035, 3.1.4). Knot's module for
online signing leaves DS out, proves something about the name asked for, and after a CNAME signs the NS records, which
are not the zone's own.`,
    lines: [
      /^- authority: \S+ 60 (RRSIG )?NSEC /,
      /^- authority: \S+ 300 RRSIG NS /,
      /^\+ authority: \S+ 300 (DS|RRSIG DS) /,
      /^\+ authority: \S+ 60 (RRSIG )?NSEC /
    ],
    kinds: /\+dnssec \(.*(delegation|delegated|glue)|sub\.alice\S*\.chronym NS \+dnssec/
  },
  {
    heading: 'Time to live of the key',
    text: 'Ours gives the key an hour, as it does not change while the server runs. Knot takes the time of the SOA.',
    lines: [/^[-+] answer: chronym\. \d+ (RRSIG )?DNSKEY /],
    kinds: /DNSKEY/
  },
  {
    heading: 'Why a name has no AD',
    text: 'Ours says why the answer is not secure by an extended error (RFC 8914). Knot knows no such state.',
    lines: [/^[-+] OPT: 0 1232( do)?( EDE \d+ .*)?$/],
    kinds: /\(not settled/
  },
  {
    heading: 'Cookies',
    text: `Ours answers cookies (RFC 7873), and refuses one of impossible length as that document says (5.2.2). Knot does
neither without its module.`,
    lines: [/^[-+] OPT: /, /^- rcode: NOERROR$/, /^- flag: aa$/, /^- answer: /, /^\+ rcode: FORMERR$/],
    kinds: /cookie/
  },
  {
    heading: 'No identifier of the server',
    text: 'Ours has no NSID and no name in class CH: nothing on this machine needs to tell servers apart.',
    lines: [/^[-+] OPT: /, /^[-+] rcode: (NOERROR|REFUSED)$/, /^- answer: version\.bind\. /],
    kinds: /NSID|version\.bind/
  },
  {
    heading: 'Class ANY',
    text: 'Ours refuses each class but IN. Knot takes ANY for IN.',
    lines: [/^[-+] rcode: (NOERROR|REFUSED)$/, /^- flag: aa$/, /^- answer: /],
    kinds: /^class ANY$/
  },
  {
    heading: 'Signatures asked for by their type',
    text: 'Ours answers with one signature of the name, as for ANY (RFC 8482). Knot refuses while it signs online.',
    lines: [/^[-+] rcode: (NOERROR|REFUSED)$/, /^\+ flag: aa$/, /^\+ answer: \S+ 300 RRSIG /],
    kinds: /^alice\.chronym RRSIG$/
  },
  {
    heading: 'No transfers, no updates',
    text: `Ours refuses every transfer (REFUSED), and does not know NOTIFY and UPDATE (NOTIMP): the registry is where zones
come from. Knot knows them, and says that these are not allowed here.`,
    lines: [/^[-+] rcode: (NOTAUTH|NOTIMP|REFUSED|FORMERR)$/],
    kinds: /NOTIFY|UPDATE|XFR/
  },
  {
    heading: 'Replies to what is malformed',
    text: `Ours answers all that has a header with FORMERR. The reply has the question if it can be read, and an OPT record
if the packet has one (RFC 6891, 6.1.1). Knot drops packets whose question it cannot read.`,
    lines: [/^- no reply$/, /^\+ rcode: FORMERR$/, /^\+ question: none$/, /^[-+] OPT: (none|0 1232)$/],
    kinds: /^(a |two |an )/
  }
]
