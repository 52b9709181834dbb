/**
 * Special IP ranges: a public network has no peers there, and a stranger may use them to have us dial a third party.
 */
import { BlockList, isIPv6 } from 'node:net'

/**
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
