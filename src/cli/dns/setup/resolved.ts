import type { Host } from './host.ts'
import { nameservers, RESOLVED_STUBS, settings, type Obstacle, type System } from './systems.ts'
import { FIRST_WITH_DELEGATES, resolvedAnchorFile, resolvedFile } from '../recipes.ts'
import { authorOf } from './apply.ts'
import { printable } from '../../terminal/format.ts'

const CONFIGURATION = ['/etc/systemd/resolved.conf', '/run/systemd/resolved.conf', '/usr/lib/systemd/resolved.conf']
const DROP_INS = CONFIGURATION.map((path) => `${path}.d`)
const DELEGATES = '/etc/systemd/dns-delegate.d'
const ANCHORS = '/etc/dnssec-trust-anchors.d'
const RESTART = ['systemctl', 'restart', 'systemd-resolved'] as const

function version(host: Host): number | undefined {
  const output = host.run(['resolvectl', '--version'])?.output
  const found = /^systemd (?<version>\d+)/u.exec(output ?? '')?.groups?.['version']
  return found === undefined ? undefined : Number(found)
}

/** The file with a `DNS=` that is not ours; the main file that systemd reads is the first one there is. */
function otherServers(host: Host): string | undefined {
  const main = CONFIGURATION.find((path) => host.exists(path))
  const dropIns = DROP_INS.flatMap((directory) =>
    host
      .list(directory)
      .filter((name) => name.endsWith('.conf'))
      .map((name) => `${directory}/${name}`)
  )
  return [...(main === undefined ? [] : [main]), ...dropIns].find((path) => {
    const text = host.read(path)
    return (
      text !== undefined && authorOf(text) === 'foreign' && settings(text).some((line) => /^DNS\s*=\s*\S/u.test(line))
    )
  })
}

/** Whether a link brings servers of its own; undefined where nobody can be asked. */
function hasLinkServers(host: Host): boolean | undefined {
  const output = host.run(['resolvectl', 'dns'])
  if (output?.code !== 0) return undefined
  return output.output.split('\n').some((line) => /^Link \d+ \([^)]*\):\s*\S/u.test(line))
}

const ELSE_CURE =
  `Update to systemd ${FIRST_WITH_DELEGATES}, which has a scope for each domain. Or move those servers to a link ` +
  '(networkd, NetworkManager), or install dnsmasq or unbound.'

/** One scope holds all servers that no link brings: then every name would go to any of them. */
function obstacleOf(host: Host): Obstacle | undefined {
  const other = otherServers(host)
  if (other !== undefined)
    return {
      detail:
        `${printable(other)} names other DNS servers for all links: systemd-resolved before version ` +
        `${FIRST_WITH_DELEGATES} would mix them with the daemon`,
      cure: ELSE_CURE
    }
  if (hasLinkServers(host) === false)
    return {
      detail:
        'no link brings a DNS server, so systemd-resolved uses its fall-back servers. With a server for all links ' +
        'it no longer does, and other names would not resolve',
      cure: ELSE_CURE
    }
  return undefined
}

export const resolved: System = {
  id: 'systemd-resolved',
  find: (host) => (host.runs('systemd-resolved') ? 'it runs' : undefined),
  isAsked: (host) =>
    nameservers(host)
      .slice(0, 1)
      .some((address) => RESOLVED_STUBS.has(address)) ||
    settings(host.read('/etc/nsswitch.conf')).some((line) => /^hosts:.*\bresolve\b/u.test(line)),
  plan: (host, route) => {
    const present = version(host)
    const hasDelegates = present !== undefined && present >= FIRST_WITH_DELEGATES
    const obstacle = hasDelegates ? undefined : obstacleOf(host)
    return {
      files: [resolvedFile(route, present), resolvedAnchorFile(route)],
      commands: [RESTART],
      remarks: [
        ...(hasDelegates ? [] : ['It asks the daemon for other names too, beside the servers of the links.']),
        'Answers have the AD bit only with DNSSEC=yes or allow-downgrade, which is your choice for all names: ' +
          'resolved.conf(5).'
      ],
      ...(obstacle === undefined ? {} : { obstacle })
    }
  },
  directories: [DELEGATES, DROP_INS[0]!, ANCHORS],
  undo: (host) => (host.runs('systemd-resolved') ? [RESTART] : [])
}
