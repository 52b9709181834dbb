/** What the network needs to know of multiaddrs: loopback, prefix, peer id. */
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { addressPrefix } from '../../protocol/neighbourhood/diversity.ts'
import { specialRange } from './address-ranges.ts'

/** The IP address that a multiaddr begins with, without its zone; undefined for host names and others. */
export function ipOf(address: Multiaddr): string | undefined {
  const [first] = address.getComponents().filter(({ name }) => name !== 'ip6zone')
  return first?.name === 'ip4' || first?.name === 'ip6' ? first.value : undefined
}

/** An IP address and a TCP port that a peer may dial as they are, and nothing more. */
export function isIpAndPort(address: Multiaddr): boolean {
  const [host, port, ...rest] = address.getComponents()
  return (
    (host?.name === 'ip4' || host?.name === 'ip6') && port?.name === 'tcp' && port.value !== '0' && rest.length === 0
  )
}

/**
 * The most useful addresses first, since only some are passed on: public ones before private ones, and those before
 * loopback. The first of each IP version comes before further ones.
 */
export function byUse<T extends { readonly multiaddr: Multiaddr }>(addresses: readonly T[]): T[] {
  const seen = new Set<string>()
  const rank = ({ multiaddr }: T): number => {
    const ip = ipOf(multiaddr)
    const range = ip === undefined ? undefined : specialRange(ip)
    const reach = range === undefined ? 0 : range === 'loopback' || range === 'link-local' ? 4 : 2
    const version = `${reach} ${ip?.includes(':') ?? false}`
    const isFirst = !seen.has(version)
    seen.add(version)
    return reach + (isFirst ? 0 : 1)
  }
  return addresses
    .map((address) => ({ address, rank: rank(address) }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ address }) => address)
}

/** The first part of a multiaddr as text: `/dns4/example.org`, `/ip4/192.0.2.1`. */
export function hostOf(address: Multiaddr): string {
  const [first] = address.getComponents()
  return `/${first?.name ?? ''}/${first?.value ?? ''}`
}

/** Whether it is a loopback address. A host name is not: it may resolve to anything. */
export function isLoopback(address: Multiaddr): boolean {
  const ip = ipOf(address)
  // The prefix normalises IPv4 inside IPv6, however it is written.
  return ip !== undefined && (ip === '::1' || addressPrefix(ip).startsWith('127.'))
}

/** The /24 or /48 of a multiaddr, see `addressPrefix`. Anything but an IP address is its own prefix. */
export function prefixOf(address: Multiaddr): string {
  const ip = ipOf(address)
  return ip === undefined ? address.toString() : addressPrefix(ip)
}

export function peerOf(address: string): string | undefined {
  return multiaddr(address)
    .getComponents()
    .findLast((component) => component.name === 'p2p')?.value
}
