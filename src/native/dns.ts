/** The DNS server of the addon: its threads answer from what they are told, and ask for what they do not know. */
export interface DnsListen {
  readonly transport: 'udp' | 'tcp' | 'tls'
  /** An IP address. */
  readonly address: string
  /** 0: any free one, the same for all of `udp` and `tcp` that ask for any. */
  readonly port: number
}

/** A host that had a TLSA record under an answer that the daemon vouches for: it is not served without TLS. */
export interface KeyedHost {
  readonly host: string
  /** The Unix time in seconds since when its zone has none; null: it has one. */
  readonly noneSince: number | null
}

/** An HTTP proxy for names of the zone. */
export interface DnsProxy {
  /** Of loopback. */
  readonly address: string
  /** 0: any free one. */
  readonly port: number
  /**
   * Names of the zone, lower-case: they and all below them may lead to private addresses, as own names may. `*` stands for
   * any text within its label, once a label.
   */
  readonly allowPrivate: readonly string[]
  /**
   * Ports at local addresses: 443 and 80 are served, all others passed to the origin. Null: hosts have no local address.
   */
  readonly localPorts: readonly number[] | null
  /** As `onKeyed` was told last. */
  readonly keyed: readonly KeyedHost[]
  /**
   * Runs on the event loop; it must not throw. `noneSince`: undefined once the host is forgotten. While 512 calls wait,
   * the proxy changes nothing.
   */
  readonly onKeyed: (host: string, noneSince: number | null | undefined) => void
}

export interface DnsServerOptions {
  /** The zone, such as `chronym`. */
  readonly tld: string
  /** PKCS#8 DER, P-256. */
  readonly key: Uint8Array
  /** Of the SOA record, 32 bits. */
  readonly serial: number
  readonly listen: readonly DnsListen[]
  /** PEM; needed to listen on `tls`. */
  readonly tls: { readonly certificate: Uint8Array; readonly key: Uint8Array } | null
  /** `ip:port` of upstreams, in order of preference; empty: names outside of the zone are refused. */
  readonly forward: readonly string[]
  /** Turns on the limits for strangers: of queries and responses by network, and of bytes to unproved addresses. */
  readonly isPublic: boolean
  /** Bytes of knowledge and packed answers, half each. */
  readonly cacheBytes: number
}

export interface DnsQuestion {
  /** A registered name, lower-case ASCII. */
  readonly name: string
  /** Whether queries wait for it, or its knowledge is old. */
  readonly reason: 'miss' | 'refresh'
}

export interface DnsTrust {
  readonly secure: boolean
  /** Why not: told to clients as an extended error. */
  readonly reason: string
  /** Whether the user of this daemon published it: the proxy may then dial private addresses. False without. */
  readonly own?: boolean
}

type DnsTransport = 'udp' | 'tcp' | 'tls' | 'https'
type DnsOutcome =
  | 'noerror'
  | 'nxdomain'
  | 'nodata'
  | 'servfail'
  | 'refused'
  | 'formerr'
  | 'notimp'
  | 'badvers'
  | 'dropped'
  | 'truncated'
  | 'limited'
  | 'forwarded'
type DnsCacheUse = 'hit' | 'miss' | 'stale' | 'prefetch' | 'packed' | 'composed'

/** Counts since the start, but for names, bytes, waiting queries and connections, which are those of the moment. */
interface DnsStats {
  readonly names: number
  readonly cacheBytes: number
  readonly queries: Readonly<Record<DnsTransport, number>>
  readonly answers: Readonly<Record<DnsOutcome, number>>
  readonly cache: Readonly<Record<DnsCacheUse, number>>
  readonly waiting: number
  readonly connections: number
}

/** Texts of the zone's DS and DNSKEY records. */
interface DnsAnchor {
  readonly ds: string
  readonly dnskey: string
  readonly keyTag: number
  readonly algorithm: number
}

/**
 * A running server. Names are registered names of the zone in lower-case ASCII; other text throws INVALID_ARGUMENT.
 * Times are milliseconds from now: fresh knowledge is used, stale knowledge is used while the server asks again.
 * Queries wait for a name for at most 5 s.
 */
export interface DnsServer {
  /** As bound, in the order of the options. */
  addresses(): DnsListen[]
  /**
   * `records`: uncompressed wire records one after the other (absolute owner, type, class IN, TTL, length, data).
   * Throws INVALID_ARGUMENT for records that cannot be served; what was known stays.
   */
  setZone(name: string, records: Uint8Array, trust: DnsTrust, freshMs: number, staleMs: number): void
  setAbsent(name: string, freshMs: number, staleMs: number): void
  /**
   * SERVFAIL with that extended error. Knowledge that is not yet beyond its stale time stays and answers instead, and
   * is not asked for again for `freshMs`; `flush` it first if it is wrong.
   */
  setFailed(name: string, ede: number, text: string, freshMs: number): void
  /** How many names were dropped; null drops all. */
  flush(name: string | null): number
  /**
   * A DNS message in, one out (RFC 8484). `client`: the IP address that limits count. Rejects with SERVER_CLOSED, and
   * with INVALID_ARGUMENT for what is not a query or has more than 4,096 bytes.
   */
  query(packet: Uint8Array, client: string): Promise<Uint8Array>
  anchor(): DnsAnchor
  /**
   * From now on, in place of the former one, whose connections end. Throws LISTEN_FAILED with address, cause and cure;
   * then there is none.
   */
  setProxy(proxy: DnsProxy | null): void
  /** Null without a proxy. */
  proxyPort(): number | null
  /** Has the proxy take a host, lower-case, for one that had no key; `onKeyed` is told. Without a proxy nothing. */
  forgetKeyed(host: string): void
  /**
   * The local address of a host with a key, whose own are `origins`: the proxy listens there. Null where hosts have none.
   * Throws LISTEN_FAILED.
   */
  localAddress(host: string, origins: readonly string[]): string | null
  /**
   * The proxy mints leaves with this authority from now on, or with null no more. PKCS#8 and X.509, both DER. Throws
   * INVALID_ARGUMENT where they do not fit, and for a certificate without name constraints.
   */
  mint(key: Uint8Array | null, certificate: Uint8Array): void
  stats(): DnsStats
  /** Ends threads and sockets within a second; waiting queries get no reply. May be called again. */
  close(): Promise<void>
}

export interface DnsServerClass {
  /**
   * Binds all addresses, or throws LISTEN_FAILED with address, cause and cure. `onQuestion` runs on the event loop; it
   * must not throw. The server does not keep the process alive.
   */
  start(options: DnsServerOptions, onQuestion: (question: DnsQuestion) => void): DnsServer
}
