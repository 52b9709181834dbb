/** Systems without a service of their own: macOS, Windows, and resolv.conf alone. */
import type { Command } from './host.ts'
import { nameservers, type System } from './systems.ts'
import { macosFile, nrptServers, resolvConfLines } from '../recipes.ts'

const FLUSH: readonly Command[] = [
  ['dscacheutil', '-flushcache'],
  ['killall', '-HUP', 'mDNSResponder']
]

export const macos: System = {
  id: 'macos',
  find: (host) => (host.platform === 'darwin' ? 'this is macOS' : undefined),
  isAsked: () => true,
  plan: (_host, route) => ({
    files: [macosFile(route)],
    commands: FLUSH,
    remarks: ['dig and nslookup do not read /etc/resolver; ping, ssh and browsers do.']
  }),
  directories: ['/etc/resolver'],
  undo: () => FLUSH
}

/** The comment of our rule, by which it is found again. */
const RULE = 'chronym dns setup'

const powershell = (script: string): Command => ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', script]

const REMOVE = powershell(
  `Get-DnsClientNrptRule | Where-Object Comment -eq '${RULE}' | ForEach-Object { Remove-DnsClientNrptRule -Name $_.Name -Force }`
)

export const windows: System = {
  id: 'windows',
  find: (host) => (host.platform === 'win32' ? 'this is Windows' : undefined),
  isAsked: () => true,
  plan: (_host, route) => {
    const servers = nrptServers(route)
    const list = servers.map((address) => `'${address}'`).join(',')
    return {
      files: [],
      commands:
        servers.length === 0
          ? []
          : [
              REMOVE,
              powershell(
                `Add-DnsClientNrptRule -Namespace '.${route.tld}' -NameServers ${list} -Comment '${RULE}'; ` +
                  'Clear-DnsClientCache'
              )
            ],
      remarks: ['It needs an administrator.'],
      ...(servers.length > 0
        ? {}
        : {
            obstacle: {
              detail: `rules of Windows (NRPT) have no port, and the daemon answers on port ${route.servers[0]!.port}`,
              cure: 'Let it answer on port 53: dns.listen = ["127.0.0.1:53"] in its configuration, and restart it.'
            }
          })
    }
  },
  directories: [],
  undo: () => [REMOVE]
}

/** glibc and musl send all names to the same servers: nothing can be set up for one domain. */
export const plainResolvConf: System = {
  id: 'resolv.conf',
  find: (host) => (host.exists('/etc/resolv.conf') ? 'no resolver on this machine is known' : undefined),
  isAsked: () => false,
  plan: (host, route) => {
    const lines = resolvConfLines(route)
    const others = nameservers(host)
    const forward = others.length === 0 ? '["192.0.2.53:53"]' : JSON.stringify(others.map((each) => `${each}:53`))
    return {
      files: [],
      commands: [],
      remarks: [
        `To use the daemon for all names, let it ${lines.length > 0 ? '' : 'answer on port 53 and '}forward the others: ` +
          `${lines.length > 0 ? '' : 'dns.listen, '}dns.forward=${forward}. Then begin /etc/resolv.conf with ` +
          `"${lines[0] ?? 'nameserver 127.0.0.1'}" and "options trust-ad".`
      ],
      obstacle: {
        detail: 'resolv.conf alone cannot send one domain to another server',
        cure: 'Install systemd-resolved, dnsmasq or unbound, and repeat this. Or see the remark: docs/dns.md.'
      }
    }
  },
  directories: [],
  undo: () => []
}
