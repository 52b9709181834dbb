/** Real daemons that find each other the first time, by each source in turn while the others are down. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { firstLine, runBeacon } from '../../scripts/program.ts'
import { local, test } from '../../src/protocol/profile/built-in.ts'
import { DnsScene } from '../cli/dns/scene.ts'
import { TxtServer } from '../network/bootstrap/txt-server.ts'
import { makeNamespaces } from './network/namespaces.ts'
import { eventually, runToEnd, Scene, type Daemon } from './processes.ts'

const scene = new Scene()
const directory = scene.directory()
/** Nobody listens there. */
const DOWN = '/ip4/127.0.0.1/tcp/1/p2p/12D3KooWHCSCJ8b55Ucb6SrPyMoaCSQJvt6LD5Wb1t5QU3xU5CMY'
const NAME = '/dnsaddr/boot.example'
const file = join(directory, 'peers')
const network = join(directory, 'local.json')
const dns = new DnsScene()
let server: TxtServer
let started = 0
let common: string[] = []
let first: Daemon

const start = (args: readonly string[], index = started++): Promise<Daemon> =>
  scene.daemon([...common, '--data-dir', join(directory, String(index)), ...args])

/** A profile that names peers of its own beside its rules: it is the built-in network all the same. */
const startWithAll = (configured: string, index?: number): Promise<Daemon> =>
  start(
    ['--network', network, '--bootstrap', configured, '--bootstrap-file', file, '--dns-forward', server.address],
    index
  )

const joined = async (daemon: Daemon): Promise<void> => {
  await eventually(
    async () => (await daemon.request('GET', '/api/network-status')).body as { status: string; peers: number },
    ({ status, peers }) => status === 'online' && peers > 0
  )
}

beforeAll(async () => {
  const { url } = await firstLine<{ url: string }>(scene.child(runBeacon()))
  server = await TxtServer.start(dns)
  writeFileSync(network, JSON.stringify({ ...local, bootstrap: [NAME] }))
  writeFileSync(file, `${DOWN}   # gone\n`)
  common = ['--beacon-url', url, '--log-level', 'warn', '--dns-enabled', 'false']
  first = await start([])
})

afterAll(async () => {
  await scene.end()
  await dns.end()
})

it('by a file, once it names a peer that answers', async () => {
  const daemon = await startWithAll(DOWN)
  const { connecting } = await eventually(
    async () => (await daemon.request('GET', '/api/network-status')).body as { connecting: string },
    (status) => status.connecting.includes(NAME) && status.connecting.includes('ECONNREFUSED')
  )
  expect(connecting).toContain(`${NAME} (it has no TXT record at _dnsaddr)`)
  writeFileSync(file, `${DOWN}\n${first.address}\n`)
  await joined(daemon)
})

it('by a name of the profile, whose list names another', async () => {
  writeFileSync(file, `${DOWN}\n`)
  server.lists.set('boot.example', ['dnsaddr=/dnsaddr/more.example'])
  server.lists.set('more.example', [`dnsaddr=${DOWN}`, `dnsaddr=${first.address}`])
  await joined(await startWithAll(DOWN))
})

it('by a name whose list the key of the profile has signed, and by no other list', async () => {
  writeFileSync(file, `${DOWN}\n`)
  const key = join(directory, 'list.key')
  const made = await runToEnd('src/cli/main.ts', ['network', 'bootstrap-list', 'make-key', key, '--no-json'])
  writeFileSync(network, JSON.stringify({ ...local, bootstrap: [NAME], bootstrap_key: made.stdout.trim() }))
  server.lists.set('boot.example', [`dnsaddr=${first.address}`])
  const daemon = await startWithAll(DOWN)
  await eventually(
    () => Promise.resolve(daemon.logText()),
    (text) => text.includes(`its list is not signed, and must be by ${made.stdout.trim()}`)
  )
  const options = ['--key', key, '--name', 'boot.example', '--network', network, '--expires']
  const expires = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
  const args = ['network', 'bootstrap-list', 'sign', ...options, expires, first.address, '--json']
  const { records } = JSON.parse((await runToEnd('src/cli/main.ts', args)).stdout) as { records: string[] }
  server.lists.set('boot.example', records)
  await joined(daemon)
  writeFileSync(network, JSON.stringify({ ...local, bootstrap: [NAME] }))
})

it('by an address of the configuration, and after a restart by the peers of the last run', async () => {
  server.isDown = true
  const daemon = await startWithAll(first.address)
  await joined(daemon)
  await daemon.signal('SIGTERM')
  await joined(await startWithAll(DOWN, started - 1))
})

/** Networks of their own: other tests of this machine must not hear them. */
const ownProfile = (name: string, from: object): string => {
  const path = join(directory, name)
  writeFileSync(path, JSON.stringify({ ...from, id: `mdns-${process.pid}`, bootstrap: [NAME] }))
  return path
}

it('on one machine by mDNS, while DNS, file and configuration lead nowhere', async () => {
  writeFileSync(file, `${DOWN}\n`)
  const profile = ownProfile('alone.json', local)
  const options = ['--network', profile, '--bootstrap-file', file, '--bootstrap', DOWN, '--dns-forward', server.address]
  const [one, other] = [await start([...options, '--mdns', 'true']), await start([...options, '--mdns', 'true'])]
  const off = await start([...options, '--mdns', 'false'])
  await Promise.all([joined(one), joined(other)])
  expect((await off.request('GET', '/api/network-status')).body).toMatchObject({ status: 'connecting', peers: 0 })
})

it('on one link by mDNS alone, in a network of scope test', async () => {
  const places = makeNamespaces(2)
  if (places === undefined) throw new Error('this test makes network namespaces: run it as root, with iproute2')
  scene.onEnd(() => places.remove())
  const profile = join(directory, 'link.json')
  writeFileSync(profile, JSON.stringify({ ...test, id: 'link' }))
  const daemons = await Promise.all(
    places.places.map(({ listen, surroundings, apiHost }, index) =>
      scene.daemon(
        [
          ...['--network', profile, '--data-dir', join(directory, `link-${index}`), '--host', apiHost],
          ...['--log-level', 'warn', '--dns-enabled', 'false', '--mdns', 'true']
        ],
        { ...surroundings, listen }
      )
    )
  )
  await Promise.all(daemons.map(joined))
})

it('and tell which line of a file is wrong', async () => {
  writeFileSync(file, '# peers\nboot.example\n')
  const args = [...common, '--data-dir', join(directory, 'wrong'), '--port', '0', '--bootstrap-file', file]
  const { code, stderr } = await runToEnd('src/daemon/main.ts', args)
  expect(code).not.toBe(0)
  expect(stderr).toContain(`${file} line 2: "boot.example" is not a multiaddr such as`)
})
