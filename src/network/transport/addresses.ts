/** What the network needs to know of multiaddrs: loopback, special ranges, prefix, peer id; and where to listen. */
import { networkInterfaces } from 'node:os'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { addressPrefix, isIPv6Prefix } from '../../protocol/neighbourhood/diversity.ts'
import { once } from 'node:events'
import { createServer, BlockList, isIPv6 } from 'node:net'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Address, PeerId } from '@libp2p/interface'
import type { Node } from '../libp2p.ts'

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

/**
 * The default multiaddrs to listen on: loopback for a network of one machine, otherwise every interface, by IPv6 too
 * where the machine has it. Uses `port`, or a free port if another daemon has it. If the port is taken in between, the
 * start fails with a ListenError.
 */
export async function defaultListenAddresses(profile: Pick<NetworkProfile, 'scope'>, port: number): Promise<string[]> {
  const hosts = profile.scope === 'loopback' ? ['127.0.0.1'] : ['0.0.0.0', '::']
  const faults = await Promise.all(hosts.map((host) => faultOf(host, port)))
  const free = faults.includes('EADDRINUSE') ? 0 : port
  return hosts.flatMap((host, index) => {
    if (!host.includes(':')) return [`/ip4/${host}/tcp/${free}`]
    return faults[index] === undefined || faults[index] === 'EADDRINUSE' ? [`/ip6/${host}/tcp/${free}`] : []
  })
}

/** The code of the error with which listening fails. */
async function faultOf(host: string, port: number): Promise<string | undefined> {
  const probe = createServer()
  try {
    await once(probe.listen({ host, port, ipv6Only: true }), 'listening')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
  probe.close()
  await once(probe, 'close')
  return undefined
}

/**
 * Special IP ranges: a public network has no peers there, and a stranger may use them to have us dial a third party.
 * A name for each range, and its subnets (IANA's special-purpose registries). IPv4 inside IPv6 follows the IPv4
 * address.
 */
const RANGES = {
  loopback: ['127.0.0.0/8', '::1/128'],
  '10.0.0.0/8': ['10.0.0.0/8'],
  '172.16.0.0/12': ['172.16.0.0/12'],
  '192.168.0.0/16': ['192.168.0.0/16'],
  'shared (carrier-grade NAT)': ['100.64.0.0/10'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  'unique local': ['fc00::/7'],
  'site-local': ['fec0::/10'],
  // Never a peer: the unspecified address, IPv4 in forms that hosts may translate, multicast, reserved ranges.
  nowhere: [
    '0.0.0.0/8',
    '192.0.0.0/24',
    '224.0.0.0/3',
    '::/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '100::/64',
    '2002::/16',
    'ff00::/8'
  ]
} as const

export type AddressRange = keyof typeof RANGES

const LISTS = Object.entries(RANGES).map(([range, subnets]) => {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [net, bits] = subnet.split('/') as [string, string]
    list.addSubnet(net, Number(bits), familyOf(net))
  }
  return { range: range as AddressRange, list }
})

/** The special range of an IP address given as text; undefined for public ones. */
export function specialRange(ip: string): AddressRange | undefined {
  return LISTS.find(({ list }) => list.check(ip, familyOf(ip)))?.range
}

function familyOf(ip: string): 'ipv4' | 'ipv6' {
  return isIPv6(ip) ? 'ipv6' : 'ipv4'
}

/**
 * A peer's known addresses, the most useful first; none for a peer that has gone. A peer of the table may be forgotten
 * between two calls.
 */
export async function knownAddresses(node: Node, peer: PeerId): Promise<readonly Address[]> {
  try {
    // libp2p sorts them as text.
    return byUse((await node.peerStore.get(peer)).addresses)
  } catch (error) {
    if ((error as Error).name === 'NotFoundError') return []
    throw error
  }
}
