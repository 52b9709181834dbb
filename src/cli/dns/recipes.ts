/** The lines that bring a resolver to the daemon, each validated by the key of the zone. Pure. */
import { isIP } from 'node:net'
import { type ConfigFile, dsLine, hostPort, type Route } from './route.ts'

const addressWith = (separator: string, { servers }: Route): string[] =>
  servers.map(({ address, port }) => `${address}${separator}${port}`)

/** One file: a route, and the key as trust anchor. */
export function unboundFile(route: Route): ConfigFile {
  const { tld } = route
  return {
    path: `/etc/unbound/unbound.conf.d/${tld}.conf`,
    comment: '#',
    body: `server:
    # The daemon answers on loopback, which unbound does not ask by itself.
    do-not-query-localhost: no
    local-zone: "${tld}." nodefault
    # A name may point into a private network.
    private-domain: "${tld}."
    trust-anchor: "${dsLine(route)}"

stub-zone:
    name: "${tld}."
${addressWith('@', route)
  .map((address) => `    stub-addr: ${address}\n`)
  .join('')}`
  }
}

/** A stub of BIND takes no port, so a server on another port than 53 is a forwarder. */
export function bindFile(route: Route): ConfigFile {
  const { tld, anchor, servers } = route
  const standard = servers.every(({ port }) => port === 53)
  const list = servers.map(({ address, port }) => `${address}${standard ? '' : ` port ${port}`};`).join(' ')
  return {
    path: `/etc/bind/${tld}.conf`,
    comment: '#',
    body: `trust-anchors {
    "${tld}." static-ds ${anchor.keyTag} ${anchor.algorithm} ${anchor.digestType} "${anchor.digest}";
};

${standard ? '' : '# With the daemon on port 53 this is a static-stub, which follows delegations too.\n'}zone "${tld}" {
${
  standard
    ? `    type static-stub;
    server-addresses { ${list} };`
    : `    type forward;
    forward only;
    forwarders { ${list} };`
}
};
`
  }
}

/** `validates`: dnsmasq was built with DNSSEC; without, it refuses to start on a trust anchor. */
export function dnsmasqFile(path: string, route: Route, validates: boolean): ConfigFile {
  const { tld, anchor } = route
  return {
    path,
    comment: '#',
    body: `${addressWith('#', route)
      .map((address) => `server=/${tld}/${address}\n`)
      .join('')}# A name may point into a private network.
rebind-domain-ok=/${tld}/
${
  validates
    ? `# Has an effect with the option dnssec alone.
trust-anchor=${tld},${anchor.keyTag},${anchor.algorithm},${anchor.digestType},${anchor.digest}
`
    : ''
}`
  }
}

/** The first systemd-resolved with scopes for single domains. */
export const FIRST_WITH_DELEGATES = 258

/**
 * A delegate, where systemd-resolved knows them. Earlier ones have one scope for all servers that no link brings: its
 * domains choose among scopes, not among the servers of one.
 */
export function resolvedFile(route: Route, version: number | undefined): ConfigFile {
  const servers = route.servers.map(hostPort).join(' ')
  return version !== undefined && version >= FIRST_WITH_DELEGATES
    ? {
        path: `/etc/systemd/dns-delegate.d/${route.tld}.dns-delegate`,
        comment: '#',
        body: `[Delegate]\nDNS=${servers}\nDomains=~${route.tld}\n`
      }
    : {
        path: `/etc/systemd/resolved.conf.d/${route.tld}.conf`,
        comment: '#',
        body: `[Resolve]\nDNS=${servers}\nDomains=~${route.tld}\n`
      }
}

export function resolvedAnchorFile(route: Route): ConfigFile {
  return {
    path: `/etc/dnssec-trust-anchors.d/${route.tld}.positive`,
    comment: ';',
    body: `${dsLine(route)}\n`
  }
}

/** resolver(5) of macOS: the file's name is the domain; one server, as the port is common to all. */
export function macosFile({ tld, servers: [server] }: Route): ConfigFile {
  return {
    path: `/etc/resolver/${tld}`,
    comment: '#',
    body: `nameserver ${server!.address}\nport ${server!.port}\n`
  }
}

/** The servers of NRPT, which has no ports. */
export function nrptServers({ servers }: Route): string[] {
  return servers.filter(({ port }) => port === 53).map(({ address }) => address)
}

/** IPv4 first: older resolvers of resolv.conf stop at what they cannot read. */
export function resolvConfLines({ servers }: Route): string[] {
  return [...servers]
    .filter(({ port }) => port === 53)
    .sort((one, other) => isIP(one.address) - isIP(other.address))
    .map(({ address }) => `nameserver ${address}`)
}
