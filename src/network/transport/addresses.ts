/** What the network needs to know of multiaddrs: loopback, prefix, peer id. */
import { networkInterfaces } from 'node:os'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { addressPrefix, isIPv6Prefix } from '../../protocol/neighbourhood/diversity.ts'
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
 * loopback. The first of each IP version comes before further ones, IPv4 before IPv6: there peers count [two families].
 */
export function byUse<T extends { readonly multiaddr: Multiaddr }>(addresses: readonly T[]): T[] {
  const seen = new Set<number>()
  const rank = ({ multiaddr }: T): number => {
    const use = useOf(multiaddr)
    const isFirst = !seen.has(use)
    seen.add(use)
    return use + (isFirst ? 0 : 1)
  }
  return addresses
    .map((address) => ({ address, rank: rank(address) }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ address }) => address)
}

/** For sorting addresses of one peer before they are dialled, as `byUse` does. */
export function compareUse(
  left: { readonly multiaddr: Multiaddr },
  right: { readonly multiaddr: Multiaddr }
): 0 | 1 | -1 {
  return Math.sign(useOf(left.multiaddr) - useOf(right.multiaddr)) as 0 | 1 | -1
}

function useOf(address: Multiaddr): number {
  const ip = ipOf(address)
  const range = ip === undefined ? undefined : specialRange(ip)
  const reach = range === undefined ? 0 : isOfThisLink(ip!) ? 4 : 2
  return reach + (ip !== undefined && isIPv6Prefix(addressPrefix(ip)) ? 0.5 : 0)
}

/**
 * Whether this machine has an address of the IP version, as the function says for each multiaddr: others are dialled in
 * vain. Loopback and host names always pass.
 */
export function ownVersions(): (address: Multiaddr) => boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  const versions = new Set(own.filter(({ address }) => !isOfThisLink(address)).map(({ family }) => family))
  return (address) => {
    const ip = ipOf(address)
    return ip === undefined || isOfThisLink(ip) || versions.has(ip.includes(':') ? 'IPv6' : 'IPv4')
  }
}

function isOfThisLink(ip: string): boolean {
  const range = specialRange(ip)
  return range === 'loopback' || range === 'link-local'
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
