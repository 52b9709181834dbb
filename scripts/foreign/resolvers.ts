/** Each resolver with the lines that `chronym dns setup`, `dns anchor --for` and docs/dns.md have for it. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startZone, WORLD } from './dns-scene.ts'
import { type Outcome, outcome } from './outcome.ts'
import { said } from './said.ts'
import { bindFile, dnsmasqFile, resolvedAnchorFile, resolvedFile, unboundFile } from '../../src/cli/dns/recipes.ts'
import { dsLine, type Route } from '../../src/cli/dns/route.ts'
import { programOf } from '../packages.ts'
import { end, ROOT } from '../program.ts'

/** Which names open: of the table in docs/dns.md, which a test compares with this one. */
type Reach = 'all' | 'all but delegated' | 'all but delegated and out of the zone'

interface Resolver {
  /** As in docs/dns.md. */
  readonly name: string
  /** Where our server answers: BIND has another form for port 53, which it holds itself at 127.0.0.1. */
  readonly server: readonly [address: string, port: number]
  /** Without `dns.forward`, and with it. */
  readonly reach: readonly [without: Reach, with_: Reach]
  readonly validates: boolean
  readonly address: string
  /** Writes its files, and gives the command that stays in the foreground. */
  readonly prepare: (directory: string, route: Route) => readonly [string, ...string[]]
}

const write = (path: string, text: string): string => {
  writeFileSync(path, text)
  return path
}

/** The lines that docs/dns.md has below a heading, for this server and this key. */
function documented(heading: string, route: Route): string {
  const page = readFileSync(join(ROOT, 'docs/dns.md'), 'utf8')
  const lines = page.split(`### ${heading}\n`)[1]?.split('```')[1]?.split('\n').slice(1).join('\n')
  if (lines === undefined) throw new Error(`docs/dns.md has no lines below ${heading}`)
  const [server] = route.servers
  return lines
    .replaceAll('127.0.0.1:7453', `${server!.address}:${server!.port}`)
    .replaceAll('DS', dsLine(route).split(' DS ')[1]!)
}

const bind: Resolver['prepare'] = (directory, route) => [
  'named',
  '-g',
  '-c',
  write(
    join(directory, 'named.conf'),
    `options { directory "${directory}"; listen-on { 127.0.0.1; }; listen-on-v6 { none; }; pid-file none;
  recursion yes; dnssec-validation yes; session-keyfile none; };
controls {};
zone "com" { type forward; forward only; forwarders { ${WORLD.address}; }; };
${bindFile(route).body}`
  )
]

const BIND = { validates: true, address: '127.0.0.1', prepare: bind }

const USUAL = ['127.0.0.1', 7453] as const

export const RESOLVERS: readonly Resolver[] = [
  {
    name: 'unbound',
    server: USUAL,
    reach: ['all', 'all'],
    validates: true,
    address: '127.0.0.1',
    prepare: (directory, route) => [
      programOf('unbound'),
      '-d',
      '-c',
      write(
        join(directory, 'unbound.conf'),
        `server:
    interface: 127.0.0.1
    username: ""
    chroot: ""
    pidfile: ""
    use-syslog: no
    directory: "${directory}"
    module-config: "validator iterator"
remote-control:
    control-enable: no
forward-zone:
    name: "com."
    forward-addr: ${WORLD.address}
${unboundFile(route).body}`
      )
    ]
  },
  { name: 'BIND, port 53', server: ['127.0.0.2', 53], reach: ['all', 'all'], ...BIND },
  { name: 'BIND, other ports', server: USUAL, reach: ['all but delegated', 'all but delegated'], ...BIND },
  {
    name: 'Knot Resolver',
    server: USUAL,
    reach: ['all but delegated and out of the zone', 'all but delegated'],
    validates: false,
    address: '127.0.0.1',
    prepare: (directory, route) => [
      'kresd',
      '-n',
      '-c',
      write(
        join(directory, 'kresd.conf'),
        `net.listen('127.0.0.1', 53, { kind = 'dns' })
cache.size = 10 * MB
trust_anchors.remove('.')
policy.add(policy.suffix(policy.STUB('${WORLD.address}'), policy.todnames({'com'})))
${documented('Knot Resolver', route)}`
      ),
      directory
    ]
  },
  {
    name: 'PowerDNS Recursor',
    server: USUAL,
    reach: ['all', 'all'],
    validates: true,
    address: '127.0.0.1',
    prepare: (directory, route) => {
      const [settings, anchor] = documented('PowerDNS Recursor', route).split('\n\n')
      write(join(directory, 'anchors.lua'), `clearTA('.')\n${anchor}`)
      write(
        join(directory, 'recursor.conf'),
        `local-address=127.0.0.1\nsocket-dir=${directory}\ndaemon=no\nwrite-pid=no\ndnssec=validate\ndont-query=\n` +
          `lua-config-file=${join(directory, 'anchors.lua')}\n${settings}\nforward-zones+=com=${WORLD.address}\n`
      )
      return ['pdns_recursor', `--config-dir=${directory}`]
    }
  },
  {
    name: 'dnsmasq',
    server: USUAL,
    reach: ['all but delegated and out of the zone', 'all but delegated'],
    validates: false,
    address: '127.0.0.1',
    prepare: (directory, route) => [
      programOf('dnsmasq-base'),
      '--no-daemon',
      '--pid-file',
      '--user=root',
      '--no-resolv',
      '--listen-address=127.0.0.1',
      '--bind-interfaces',
      `--server=/com/${WORLD.address}`,
      `--conf-file=${write(join(directory, 'dnsmasq.conf'), dnsmasqFile('', route, true).body)}`
    ]
  },
  {
    name: 'systemd-resolved',
    server: USUAL,
    reach: ['all but delegated', 'all but delegated'],
    validates: true,
    address: '127.0.0.53',
    prepare: (_directory, route) => {
      for (const file of [resolvedFile(route, undefined), resolvedAnchorFile(route)]) {
        mkdirSync(join(file.path, '..'), { recursive: true })
        write(file.path, file.body)
      }
      return [programOf('systemd-resolved')]
    }
  }
]

interface Seen {
  readonly status: string
  readonly addresses: readonly string[]
  readonly ad: boolean
  readonly text: string
}

async function dig(address: string, name: string): Promise<Seen> {
  const args = ['+tries=1', '+time=5', '+adflag', `@${address}`, name, 'A']
  const stdout = await said('dig', args)
  return {
    status: /status: (\w+)/u.exec(stdout)?.[1] ?? 'none',
    addresses: [...stdout.matchAll(/\sIN\s+A\s+([0-9.]+)$/gmu)].map(([, found]) => found!),
    ad: /^;; flags:[^;]* ad\b/mu.test(stdout),
    text: stdout
  }
}

/** Until it answers for a name that nobody has: what it keeps of that says nothing of others. */
async function whenReady(address: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if ((await dig(address, 'localhost')).status !== 'none') return
    await sleep(100)
  }
}

/** The kinds of names that open through one resolver. Our server takes its port, and the resolver port 53. */
export async function judge(resolver: Resolver, isForwarding: boolean): Promise<Outcome[]> {
  const zone = startZone(...resolver.server, isForwarding)
  const directory = mkdtempSync(join(tmpdir(), 'foreign-'))
  const [program, ...args] = resolver.prepare(directory, zone.route)
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: directory })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (log += bytes.toString()))
  child.on('error', ({ message }) => (log += message))
  try {
    await whenReady(resolver.address)
    const reach = resolver.reach[isForwarding ? 1 : 0]
    const title = (what: string): string =>
      `${resolver.name}, ${isForwarding ? 'with' : 'without'} dns.forward: ${what}`
    const own = await dig(resolver.address, 'alice.chronym')
    const expects = async (what: string, name: string, address: string, opens: boolean): Promise<Outcome> => {
      const seen = await dig(resolver.address, name)
      return outcome(title(what), seen.addresses.includes(address) === opens, `${seen.text}\n${log.slice(-1500)}`)
    }
    const denied = async (name: string): Promise<Outcome> => {
      const seen = await dig(resolver.address, name)
      const isDenied = seen.addresses.length === 0 && ['NXDOMAIN', 'NOERROR'].includes(seen.status)
      return outcome(title(`${name} is denied`), isDenied, seen.text)
    }
    return [
      outcome(
        title('a name, with its AD bit'),
        own.addresses[0] === '192.0.2.1' && own.ad === resolver.validates,
        `${own.text}\n${log.slice(-1500)}`
      ),
      await expects('an alias within the zone', 'www.alice.chronym', '192.0.2.1', true),
      await expects('an alias out of the zone', 'out.alice.chronym', '203.0.113.5', !reach.includes('out of')),
      await expects('a delegated name', 'x.sub.alice.chronym', '203.0.113.9', !reach.includes('delegated')),
      await denied('nobody.chronym'),
      await denied('nothing.alice.chronym')
    ]
  } finally {
    if (child.exitCode === null) await end(child, 'SIGKILL')
    await zone.stop()
  }
}

/** A program of glibc whose resolv.conf names our server alone. */
export async function judgeStub(isForwarding: boolean): Promise<Outcome[]> {
  const zone = startZone('127.0.0.1', 53, isForwarding)
  write('/etc/resolv.conf', 'nameserver 127.0.0.1\n')
  const opens = async (what: string, name: string, address: string, isOpen: boolean): Promise<Outcome> => {
    const text = await said('getent', ['ahostsv4', name])
    const title = `resolv.conf alone, ${isForwarding ? 'with' : 'without'} dns.forward: ${what}`
    return outcome(title, text.includes(address) === isOpen, text)
  }
  try {
    return [
      await opens('a name', 'alice.chronym', '192.0.2.1', true),
      await opens('an alias within the zone', 'www.alice.chronym', '192.0.2.1', true),
      await opens('an alias out of the zone', 'out.alice.chronym', '203.0.113.5', isForwarding),
      await opens('a delegated name', 'x.sub.alice.chronym', '203.0.113.9', false)
    ]
  } finally {
    await zone.stop()
  }
}
