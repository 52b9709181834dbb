/** The three systems whose files this command writes. Tests run each of them. */
import type { Command, Host } from './host.ts'
import { authorOf } from './apply.ts'
import { asksLoopback, nameservers, type Obstacle, RESOLVED_STUBS, settings, type WrittenSystem } from './systems.ts'
import { dnsmasqFile, FIRST_WITH_DELEGATES, resolvedAnchorFile, resolvedFile, unboundFile } from '../recipes.ts'
import { printable } from '../../terminal/format.ts'

const restart = (service: string): Command => ['systemctl', 'restart', service]

const CONFIGURATION = ['/etc/systemd/resolved.conf', '/run/systemd/resolved.conf', '/usr/lib/systemd/resolved.conf']
const DROP_INS = CONFIGURATION.map((path) => `${path}.d`)
const DELEGATES = '/etc/systemd/dns-delegate.d'
const ANCHORS = '/etc/dnssec-trust-anchors.d'

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

/** All servers not tied to a link share one scope: every name would go to any of them. */
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

export const resolved: WrittenSystem = {
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
      commands: [restart('systemd-resolved')],
      remarks: [
        ...(hasDelegates ? [] : ['It asks the daemon for other names too, beside the servers of the links.']),
        'Answers have the AD bit only with DNSSEC=yes or allow-downgrade, which is your choice for all names: ' +
          'resolved.conf(5).'
      ],
      ...(obstacle === undefined ? {} : { obstacle })
    }
  },
  directories: [DELEGATES, DROP_INS[0]!, ANCHORS],
  undo: (host) => (host.runs('systemd-resolved') ? [restart('systemd-resolved')] : [])
}

const DNSMASQ_DIRECTORY = '/etc/dnsmasq.d'

/** The options it was built with; false where it cannot be asked. */
export function validates(host: Host): boolean {
  return /(?:^|\s)DNSSEC(?:\s|$)/u.test(host.run(['dnsmasq', '--version'])?.output ?? '')
}

/** Debian names the directory on the command line of the service, others in the file. */
function dnsmasqReadsDirectory(host: Host): boolean {
  const named = (path: string, pattern: RegExp): boolean =>
    settings(host.read(path)).some((line) => pattern.test(line) && line.includes(DNSMASQ_DIRECTORY))
  return named('/etc/dnsmasq.conf', /^conf-dir\s*=/u) || named('/etc/default/dnsmasq', /^CONFIG_DIR\s*=/u)
}

/** Whether NetworkManager runs a dnsmasq of its own. */
export function isManaged(host: Host): boolean {
  if (!host.runs('NetworkManager')) return false
  const directories = ['/etc/NetworkManager/conf.d', '/usr/lib/NetworkManager/conf.d', '/run/NetworkManager/conf.d']
  const files = [
    '/etc/NetworkManager/NetworkManager.conf',
    ...directories.flatMap((directory) => host.list(directory).map((name) => `${directory}/${name}`))
  ]
  return files.some((path) => settings(host.read(path)).some((line) => /^dns\s*=\s*dnsmasq$/u.test(line)))
}

/** `isValidating`: it was built with DNSSEC. */
export const dnsmasqRemarks = (isValidating: boolean): string[] =>
  isValidating ? ['Answers have the AD bit only with the option dnssec, which is your choice for all names.'] : []

export const dnsmasq: WrittenSystem = {
  id: 'dnsmasq',
  find: (host) => {
    if (!host.runs('dnsmasq') || isManaged(host)) return undefined
    return host.exists(DNSMASQ_DIRECTORY) || host.exists('/etc/dnsmasq.conf') ? 'it runs' : undefined
  },
  isAsked: asksLoopback,
  plan: (host, route) => {
    const isValidating = validates(host)
    return {
      files: [dnsmasqFile(`${DNSMASQ_DIRECTORY}/${route.tld}.conf`, route, isValidating)],
      check: ['dnsmasq', '--test'],
      commands: [restart('dnsmasq')],
      remarks: dnsmasqRemarks(isValidating),
      ...(dnsmasqReadsDirectory(host)
        ? {}
        : {
            obstacle: {
              detail: `dnsmasq does not read ${DNSMASQ_DIRECTORY}`,
              cure: `Add the line conf-dir=${DNSMASQ_DIRECTORY}/,*.conf to /etc/dnsmasq.conf.`
            }
          })
    }
  },
  directories: [DNSMASQ_DIRECTORY],
  undo: (host) => (host.runs('dnsmasq') ? [restart('dnsmasq')] : [])
}

const UNBOUND_DIRECTORY = '/etc/unbound/unbound.conf.d'

function unboundReadsDirectory(host: Host): boolean {
  return settings(host.read('/etc/unbound/unbound.conf')).some(
    (line) => /^include(?:-toplevel)?:/u.test(line) && line.includes(UNBOUND_DIRECTORY)
  )
}

export const unbound: WrittenSystem = {
  id: 'unbound',
  find: (host) => (host.runs('unbound') ? 'it runs' : undefined),
  isAsked: asksLoopback,
  plan: (host, route) => ({
    files: [unboundFile(route)],
    check: ['unbound-checkconf'],
    commands: [restart('unbound')],
    remarks: ['unbound may now ask other servers on loopback too (do-not-query-localhost: no).'],
    ...(unboundReadsDirectory(host)
      ? {}
      : {
          obstacle: {
            detail: `unbound does not read ${UNBOUND_DIRECTORY}`,
            cure: `Add the line include-toplevel: "${UNBOUND_DIRECTORY}/*.conf" to /etc/unbound/unbound.conf.`
          }
        })
  }),
  directories: [UNBOUND_DIRECTORY],
  undo: (host) => (host.runs('unbound') ? [restart('unbound')] : [])
}

export const WRITTEN: readonly WrittenSystem[] = [resolved, dnsmasq, unbound]
