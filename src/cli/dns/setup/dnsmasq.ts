import type { Host } from './host.ts'
import { asksLoopback, settings, type System } from './systems.ts'
import { dnsmasqFile } from '../recipes.ts'

const DIRECTORY = '/etc/dnsmasq.d'
const MANAGED_DIRECTORY = '/etc/NetworkManager/dnsmasq.d'
const RESTART = ['systemctl', 'restart', 'dnsmasq'] as const
const RELOAD = ['nmcli', 'general', 'reload', 'dns-full'] as const
const CHECK = ['dnsmasq', '--test'] as const

/** The options it was built with; false where it cannot be asked. */
function validates(host: Host): boolean {
  return /(?:^|\s)DNSSEC(?:\s|$)/u.test(host.run(['dnsmasq', '--version'])?.output ?? '')
}

/** Debian names the directory on the command line of the service, others in the file. */
function readsDirectory(host: Host): boolean {
  const named = (path: string, pattern: RegExp): boolean =>
    settings(host.read(path)).some((line) => pattern.test(line) && line.includes(DIRECTORY))
  return named('/etc/dnsmasq.conf', /^conf-dir\s*=/u) || named('/etc/default/dnsmasq', /^CONFIG_DIR\s*=/u)
}

function isManaged(host: Host): boolean {
  const directories = ['/etc/NetworkManager/conf.d', '/usr/lib/NetworkManager/conf.d', '/run/NetworkManager/conf.d']
  const files = [
    '/etc/NetworkManager/NetworkManager.conf',
    ...directories.flatMap((directory) => host.list(directory).map((name) => `${directory}/${name}`))
  ]
  return files.some((path) => settings(host.read(path)).some((line) => /^dns\s*=\s*dnsmasq$/u.test(line)))
}

const remarks = (isValidating: boolean): string[] =>
  isValidating ? ['Answers have the AD bit only with the option dnssec, which is your choice for all names.'] : []

export const managedDnsmasq: System = {
  id: 'networkmanager-dnsmasq',
  find: (host) => (host.runs('NetworkManager') && isManaged(host) ? 'NetworkManager runs it (dns=dnsmasq)' : undefined),
  isAsked: asksLoopback,
  plan: (host, route) => {
    const isValidating = validates(host)
    return {
      files: [dnsmasqFile(`${MANAGED_DIRECTORY}/${route.tld}.conf`, route, isValidating)],
      commands: [RELOAD],
      remarks: remarks(isValidating)
    }
  },
  directories: [MANAGED_DIRECTORY],
  undo: (host) => (host.runs('NetworkManager') ? [RELOAD] : [])
}

export const dnsmasq: System = {
  id: 'dnsmasq',
  find: (host) => {
    if (!host.runs('dnsmasq') || managedDnsmasq.find(host) !== undefined) return undefined
    return host.exists(DIRECTORY) || host.exists('/etc/dnsmasq.conf') ? 'it runs' : undefined
  },
  isAsked: asksLoopback,
  plan: (host, route) => {
    const isValidating = validates(host)
    return {
      files: [dnsmasqFile(`${DIRECTORY}/${route.tld}.conf`, route, isValidating)],
      check: CHECK,
      commands: [RESTART],
      remarks: remarks(isValidating),
      ...(readsDirectory(host)
        ? {}
        : {
            obstacle: {
              detail: `dnsmasq does not read ${DIRECTORY}`,
              cure: `Add the line conf-dir=${DIRECTORY}/,*.conf to /etc/dnsmasq.conf.`
            }
          })
    }
  },
  directories: [DIRECTORY],
  undo: (host) => (host.runs('dnsmasq') ? [RESTART] : [])
}
