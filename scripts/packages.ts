/** Debian packages that tests and benches need beside what npm installs. Their set-up names those that are missing. */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Each package with a program of it: where that program is found, the package counts as there. */
const PROGRAMS = {
  knot: 'knotd',
  'knot-dnsutils': 'kdig',
  'bind9-dnsutils': 'delv',
  'bind9-utils': 'named-checkconf',
  unbound: 'unbound',
  'dnsmasq-base': 'dnsmasq',
  dnsperf: 'dnsperf',
  'openssh-server': 'sshd',
  'openssh-client': 'ssh',
  socat: 'socat',
  systemd: 'systemd-analyze',
  mandoc: 'mandoc',
  prometheus: 'promtool',
  nginx: 'nginx',
  caddy: 'caddy',
  haproxy: 'haproxy',
  iproute2: 'ip',
  nftables: 'nft',
  'miniupnpd-nftables': 'miniupnpd',
  'nats-server': 'nats-server',
  'util-linux': 'taskset',
  'libc-bin': 'getent',
  openssl: 'openssl',
  'gnutls-bin': 'certtool',
  'libnss3-tools': 'certutil',
  'golang-go': 'go',
  httpie: 'http',
  chromium: 'chromium',
  'firefox-esr': 'firefox-esr',
  curl: 'curl',
  'ca-certificates': 'update-ca-certificates',
  'systemd-resolved': 'systemd-resolved',
  pngquant: 'pngquant',
  bind9: 'named',
  'pdns-recursor': 'pdns_recursor',
  'knot-resolver': 'kresd',
  ldnsutils: 'drill',
  dnsviz: 'dnsviz',
  age: 'age'
} as const

export type Package = keyof typeof PROGRAMS

/** Packages of `npm run test:foreign` alone. */
const FOREIGN: readonly Package[] = ['bind9', 'pdns-recursor', 'knot-resolver', 'ldnsutils', 'dnsviz', 'age']

/** Those that `npm run test:full` does not need: of benches, of the screenshots, and of `npm run test:long`. */
const NOT_OF_TESTS: readonly Package[] = [
  'dnsperf',
  'haproxy',
  'util-linux',
  'pngquant',
  'golang-go',
  'httpie',
  ...FOREIGN
]

/** Those of `npm run test:full`, which knows of them before anything runs: a test that waits for apt-get blocks its worker. */
export const TEST_PACKAGES = (Object.keys(PROGRAMS) as Package[]).filter((name) => !NOT_OF_TESTS.includes(name))

/** Its installation takes over /etc/resolv.conf, so its files are only unpacked. */
const UNPACKED: readonly Package[] = ['systemd-resolved']
const UNPACKED_AT = join(import.meta.dirname, '../.toolchain/debian')

/** Servers are in the folders for the administrator, which PATH may leave out, and Go in one of its own. */
const FOLDERS = [
  ...(process.env['PATH'] ?? '').split(delimiter),
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/go/bin',
  '/usr/lib/systemd',
  join(UNPACKED_AT, 'usr/lib/systemd'),
  join(UNPACKED_AT, 'lib/systemd')
]

/** Another run of apt-get may hold the lock. */
const LOCK_SECONDS = 120

/** What it asks of the machine, for tests of its own. */
export interface Machine {
  /** Path of a program, undefined where there is none. */
  find(program: string): string | undefined
  run(command: string, args: readonly string[]): { readonly status: number | null; readonly stderr: string }
  readonly isRoot: boolean
  /** Whether anybody said that packages may be installed. */
  readonly mayInstall: boolean
}

export const thisMachine: Machine = {
  find(program) {
    return FOLDERS.map((folder) => join(folder, program)).find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
  },
  run(command, args) {
    const { status, stderr, error }: SpawnSyncReturns<string> = spawnSync(command, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe']
    })
    return { status, stderr: error?.message ?? stderr }
  },
  isRoot: process.getuid?.() === 0,
  get mayInstall() {
    return process.env['CI'] === 'true' || process.env['INSTALL_PACKAGES'] === '1'
  }
}

/**
 * Installs the packages that are missing, where it may, with apt-get as root or by sudo; when that fails, once more after
 * `apt-get update`. Throws with the command to run by hand.
 */
export function needPackages(packages: readonly Package[], machine: Machine = thisMachine): void {
  const wanted = missingPackages(packages, machine)
  if (wanted.length === 0) return
  const fail = (why: string): never => {
    const programs = wanted.map((name) => PROGRAMS[name]).join(', ')
    throw new Error(`${programs} not found, and ${why}. Install by hand: ${byHand(wanted)}`)
  }
  if (!machine.mayInstall) fail('nobody said that it may be installed (INSTALL_PACKAGES=1)')
  if (machine.find('apt-get') === undefined) fail('this machine has no apt-get')
  if (!machine.isRoot && machine.find('sudo') === undefined) fail('apt-get needs root or sudo')

  const aptGet = (...args: string[]): { readonly status: number | null; readonly stderr: string } => {
    const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', `-oDPkg::Lock::Timeout=${LOCK_SECONDS}`]
    const [program, ...rest] = [...(machine.isRoot ? [] : ['sudo', '-n']), ...command, ...args]
    return machine.run(program!, rest)
  }
  const { unpacked, installed } = byWay(wanted)
  const fetchAll = (): { readonly status: number | null; readonly stderr: string } => {
    const ran = unpacked.map((name) => machine.run('sh', ['-c', unpacking(name)]))
    if (installed.length > 0) ran.push(aptGet('install', '--yes', '--no-install-recommends', ...installed))
    return ran.find(({ status }) => status !== 0) ?? ran[0]!
  }
  let outcome = fetchAll()
  if (outcome.status !== 0) {
    aptGet('update')
    outcome = fetchAll()
  }
  if (missingPackages(packages, machine).length > 0) fail(`apt-get did not install it: ${outcome.stderr.trim()}`)
}

const byWay = (packages: readonly Package[]) => ({
  unpacked: packages.filter((name) => UNPACKED.includes(name)),
  installed: packages.filter((name) => !UNPACKED.includes(name))
})

const unpacking = (name: Package): string =>
  `mkdir -p '${UNPACKED_AT}' && cd '${UNPACKED_AT}' && apt-get download ${name} && dpkg-deb -x ${name}_*.deb .`

/** The commands that install them. */
export function byHand(packages: readonly Package[]): string {
  const { unpacked, installed } = byWay(packages)
  const install = installed.length === 0 ? [] : [`apt-get install --no-install-recommends ${installed.join(' ')}`]
  return [...install, ...unpacked.map((name) => `(${unpacking(name)})`)].join(' && ')
}

/** Packages whose programs this machine lacks. */
export function missingPackages(packages: readonly Package[], machine: Machine = thisMachine): Package[] {
  return packages.filter((name) => machine.find(PROGRAMS[name]) === undefined)
}

/** Path of a package's program, once `needPackages` has returned. */
export function programOf(name: Package): string {
  const path = thisMachine.find(PROGRAMS[name])
  if (path === undefined) throw new Error(`${PROGRAMS[name]} not found: needPackages(['${name}']) comes first`)
  return path
}
