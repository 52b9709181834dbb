/** What the network needs to know of multiaddrs: loopback, prefix, peer id. */
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { addressPrefix } from '../../protocol/neighbourhood/diversity.ts'

/** The IP address that a multiaddr begins with, without its zone; undefined for host names and others. */
export function ipOf(address: Multiaddr): string | undefined {
  const [first] = address.getComponents().filter(({ name }) => name !== 'ip6zone')
  return first?.name === 'ip4' || first?.name === 'ip6' ? first.value : undefined
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
