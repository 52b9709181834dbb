/** Homes behind routers: a namespace for each, NAT by nftables, and a real miniupnpd where the router has one. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programOf } from '../../../scripts/packages.ts'
import type { Place } from './places.ts'

/** `none`: it lets nobody in. `pcp`: it has IPv6 inside, and lets peers in by that alone. */
export type RouterKind = 'nat-pmp' | 'upnp' | 'pcp' | 'none'

/** Of every home's own network; by IPv6 of the one that has it. */
const LAN = { router: '192.168.1.1', machine: '192.168.1.2' }
export const LAN_IPV6 = { network: '2a70::/32', router: '2a70::1', machine: '2a70::2' }

function within({ surroundings }: Place, command: string, ...args: readonly string[]): string {
  const [program, ...before] = [...surroundings.within!, command, ...args]
  return execFileSync(program!, before, { encoding: 'utf8' })
}

const namespaceOf = ({ surroundings }: Place): string => surroundings.within!.at(-1)!

/** A firewall as homes have: what is asked from inside comes back, and nothing else comes in but what miniupnpd lets. */
const FIREWALL = `
table inet filter {
  chain forward {
    type filter hook forward priority 0; policy drop
    ct state established,related accept
    iifname "lan" accept
    jump miniupnpd
  }
  chain miniupnpd { }
  chain prerouting { type nat hook prerouting priority -100; jump prerouting_miniupnpd; }
  chain postrouting {
    type nat hook postrouting priority 100
    jump postrouting_miniupnpd
    oifname "peers" masquerade
  }
  chain prerouting_miniupnpd { }
  chain postrouting_miniupnpd { }
}
`

/**
 * Connects a home to a router whose own address is on the wire between the places. Returns miniupnpd, to be ended with the
 * places.
 */
export function joinHome(router: Place, home: Place, kind: RouterKind, directory: string): ChildProcess | undefined {
  const link = ['link', 'add', 'lan', 'netns', namespaceOf(router), 'type', 'veth', 'peer', 'name', 'lan']
  execFileSync('ip', [...link, 'netns', namespaceOf(home)])
  for (const [place, address] of [
    [router, LAN.router],
    [home, LAN.machine]
  ] as const) {
    within(place, 'ip', 'addr', 'add', `${address}/24`, 'dev', 'lan')
    within(place, 'ip', 'link', 'set', 'lan', 'up')
  }
  within(home, 'ip', 'route', 'add', 'default', 'via', LAN.router)
  if (kind === 'pcp') joinByIPv6(router, home)
  // A carrier's shared addresses have a route to the public ones.
  within(router, 'ip', 'route', 'replace', '45.0.0.0/8', 'dev', 'peers')
  within(router, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward')
  const rules = join(directory, `${namespaceOf(router)}.nft`)
  writeFileSync(rules, FIREWALL)
  within(router, programOf('nftables'), '-f', rules)
  if (kind === 'none') return undefined
  const file = join(directory, `${namespaceOf(router)}.conf`)
  const yes = (is: boolean): string => (is ? 'yes' : 'no')
  writeFileSync(
    file,
    [
      'ext_ifname=peers',
      'listening_ip=lan',
      `enable_natpmp=${yes(kind === 'nat-pmp' || kind === 'pcp')}`,
      `enable_upnp=${yes(kind === 'upnp')}`,
      'secure_mode=yes',
      'uuid=00000000-0000-4000-8000-000000000001',
      `lease_file=${join(directory, `${namespaceOf(router)}.leases`)}`,
      'upnp_table_name=filter',
      'upnp_nat_table_name=filter',
      'allow 1024-65535 192.168.1.0/24 1024-65535',
      'deny 0-65535 0.0.0.0/0 0-65535',
      ''
    ].join('\n')
  )
  const [program, ...before] = router.surroundings.within!
  const pidFile = join(directory, `${namespaceOf(router)}.pid`)
  return spawn(program!, [...before, programOf('miniupnpd-nftables'), '-d', '-f', file, '-P', pidFile], {
    stdio: 'ignore'
  })
}

function joinByIPv6(router: Place, home: Place): void {
  for (const [place, address] of [
    [router, LAN_IPV6.router],
    [home, LAN_IPV6.machine]
  ] as const)
    within(place, 'ip', 'addr', 'add', `${address}/32`, 'dev', 'lan', 'nodad')
  within(router, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv6/conf/all/forwarding')
  // As a router tells its homes: by its address of the link.
  const shown = JSON.parse(within(router, 'ip', '-j', '-6', 'addr', 'show', 'dev', 'lan', 'scope', 'link')) as {
    addr_info: { local?: string }[]
  }[]
  const own = shown.flatMap(({ addr_info }) => addr_info).find(({ local }) => local !== undefined)!.local!
  within(home, 'ip', '-6', 'route', 'add', 'default', 'via', own, 'dev', 'lan')
}

/** The ports that the router lets in. */
export function mappedPorts(router: Place): string[] {
  const of = (chain: string): string => within(router, programOf('nftables'), 'list', 'chain', 'inet', 'filter', chain)
  const [byIPv4, byIPv6] = [of('prerouting_miniupnpd'), of('miniupnpd')]
  const ports = [...byIPv4.matchAll(/dport (\d+) dnat/g), ...byIPv6.matchAll(/dport (\d+) @nh,192,128/g)]
  return ports.map(([, port]) => port!)
}
