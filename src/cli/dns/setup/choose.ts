/** Which resolver of this machine is meant. For some of them this command only prints the lines. Pure. */
import type { Command, Host } from './host.ts'
import { asksLoopback, nameservers, type Obstacle, type System, type SystemId } from './systems.ts'
import { dnsmasq, dnsmasqRemarks, isManaged, resolved, unbound, validates } from './written.ts'
import { dnsmasqFile, macosFile, nrptServers, resolvConfLines } from '../recipes.ts'
import { hostPort, type Route } from '../route.ts'
import { EXIT, Failure } from '../../failures/failure.ts'
import { parseSocketAddress } from '../../../config/socket-address.ts'

/** No test runs these systems, so the user writes what is printed. */
const byHand = (undo: string): Obstacle => ({
  detail: 'chronym dns setup prints the lines for this system, and writes nothing',
  cure: `Write what it prints, and run its commands, as root or administrator. To undo it: ${undo}.`
})

const managedDnsmasq: System = {
  id: 'networkmanager-dnsmasq',
  find: (host) => (isManaged(host) ? 'NetworkManager runs it (dns=dnsmasq)' : undefined),
  isAsked: asksLoopback,
  plan: (host, route) => {
    const isValidating = validates(host)
    return {
      files: [dnsmasqFile(`/etc/NetworkManager/dnsmasq.d/${route.tld}.conf`, route, isValidating)],
      commands: [['nmcli', 'general', 'reload', 'dns-full']],
      remarks: dnsmasqRemarks(isValidating),
      obstacle: byHand('delete the file, and run the command again')
    }
  }
}

const macos: System = {
  id: 'macos',
  find: (host) => (host.platform === 'darwin' ? 'this is macOS' : undefined),
  isAsked: () => true,
  plan: (_host, route) => ({
    files: [macosFile(route)],
    commands: [
      ['dscacheutil', '-flushcache'],
      ['killall', '-HUP', 'mDNSResponder']
    ],
    remarks: ['dig and nslookup do not read /etc/resolver; ping, ssh and browsers do.'],
    obstacle: byHand('delete the file, and run the commands again')
  })
}

const powershell = (script: string): Command => ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', script]

const windows: System = {
  id: 'windows',
  find: (host) => (host.platform === 'win32' ? 'this is Windows' : undefined),
  isAsked: () => true,
  plan: (_host, route) => {
    const list = nrptServers(route).map((address) => `'${address}'`)
    return {
      files: [],
      commands:
        list.length === 0
          ? []
          : [
              powershell(
                `Add-DnsClientNrptRule -Namespace '.${route.tld}' -NameServers ${list.join(',')}; Clear-DnsClientCache`
              )
            ],
      remarks: [],
      obstacle:
        list.length > 0
          ? byHand(
              `Get-DnsClientNrptRule | Where-Object Namespace -eq '.${route.tld}' | ` +
                'ForEach-Object { Remove-DnsClientNrptRule -Name $_.Name -Force }'
            )
          : {
              detail: `rules of Windows (NRPT) have no port, and the daemon answers on port ${route.servers[0]!.port}`,
              cure: 'Let it answer on port 53: dns.listen = ["127.0.0.1:53"] in its configuration, and restart it.'
            }
    }
  }
}

/** The servers of resolv.conf that the daemon may ask: not itself, and none with the name of a link. */
function forwarders(host: Host, { servers }: Route): string[] {
  const own = ['127.0.0.1', '::1', ...servers.filter(({ port }) => port === 53).map(({ address }) => address)]
  return nameservers(host)
    .map((address) => ({ address, port: 53 }))
    .filter(({ address }) => !own.includes(address))
    .map(hostPort)
    .filter((text) => parseSocketAddress(text) !== undefined)
}

/** glibc and musl send all names to the same servers: nothing can be set up for one domain. */
const plainResolvConf: System = {
  id: 'resolv.conf',
  find: (host) => (host.exists('/etc/resolv.conf') ? 'no resolver on this machine is known' : undefined),
  isAsked: () => false,
  plan: (host, route) => {
    const lines = resolvConfLines(route)
    const others = forwarders(host, route)
    const forward = JSON.stringify(others.length === 0 ? ['192.0.2.53:53'] : others)
    return {
      files: [],
      commands: [],
      remarks: [
        `To use the daemon for all names, let it ${lines.length > 0 ? '' : 'answer on port 53 and '}forward the others: ` +
          `${lines.length > 0 ? '' : 'dns.listen, '}dns.forward=${forward}. Then begin /etc/resolv.conf with ` +
          `"${lines[0] ?? 'nameserver 127.0.0.1'}" and "options trust-ad".`,
        ...(others.length === 0 ? ['Name a resolver of your network in place of 192.0.2.53.'] : [])
      ],
      obstacle: {
        detail: 'resolv.conf alone cannot send one domain to another server',
        cure: 'Install systemd-resolved, dnsmasq or unbound, and repeat this. Or see the remark: docs/dns.md.'
      }
    }
  }
}

/** The first found that programs ask wins, else the first found. */
const SYSTEMS: readonly System[] = [macos, windows, resolved, managedDnsmasq, dnsmasq, unbound, plainResolvConf]

export interface Found {
  readonly system: System
  readonly because: string
  readonly isAsked: boolean
}

export function findSystems(host: Host): Found[] {
  return SYSTEMS.flatMap((system) => {
    const because = system.find(host)
    return because === undefined ? [] : [{ system, because, isAsked: system.isAsked(host) }]
  })
}

/** `wanted` is taken even where it was not found. Throws CLI-DNS-001 where there is none. */
export function chooseSystem(found: readonly Found[], wanted: SystemId | undefined): System {
  if (wanted !== undefined) return SYSTEMS.find(({ id }) => id === wanted)!
  const first = found.find(({ isAsked }) => isAsked) ?? found[0]
  if (first === undefined)
    throw new Failure('CLI-DNS-001', 'no resolver that this command knows was found', {
      exitCode: EXIT.refused,
      cure: 'Name it with --system, or take the lines of chronym dns anchor --for.'
    })
  return first.system
}
