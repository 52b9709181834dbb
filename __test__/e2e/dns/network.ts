/** A network namespace whose programs ask our server, with a daemon in it that has registered a name. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../../../src/api/client/client.ts'
import { local } from '../../../src/protocol/profile/built-in.ts'
import { eventually, register, type Daemon, type Scene } from '../processes.ts'
import { makeNamespaces } from '../network/namespaces.ts'

/** What `ip netns exec` puts in place of the files of the same names in /etc. */
const FILES = {
  'resolv.conf': 'nameserver 127.0.0.1\noptions trust-ad edns0\n',
  'nsswitch.conf': 'hosts: files dns\n'
}

/** Names that cost little and settle within seconds; no pin is firm before the test is over. */
const PROFILE = {
  ...local,
  id: 'dns-programs',
  difficulty: { base: 20_000, by_length: [{ from: 1, factor: 1 }] },
  stamp_bits: 6,
  contest: 3,
  settle: 8,
  pin_after: 24 * 3600
}

export interface Namespace {
  /** What a program must follow to run in it. */
  readonly within: readonly string[]
  /** Its address, which this process reaches too. */
  readonly address: string
}

export function makeNamespace(scene: Scene): Namespace {
  const places = makeNamespaces(1)
  if (places === undefined)
    throw new Error('this test makes a network namespace, which takes Linux, iproute2 and root: run it with sudo')
  scene.onEnd(() => places.remove())
  const { surroundings, apiHost } = places.places[0]!
  const within = surroundings.within!
  const directory = join('/etc/netns', within.at(-1)!)
  mkdirSync(directory, { recursive: true })
  scene.onEnd(() => rmSync(directory, { recursive: true }))
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(directory, name), content)
  return { within, address: apiHost }
}

/** The daemon, the whole of its network, in that namespace; DNS at port 53 of its loopback address. */
export async function startDaemon(
  scene: Scene,
  { within, address }: Namespace,
  directory: string,
  args: readonly string[]
): Promise<Daemon> {
  const profile = join(directory, 'profile.json')
  writeFileSync(profile, JSON.stringify(PROFILE))
  const where = ['--network', profile, '--data-dir', join(directory, 'data'), '--host', address]
  return scene.daemon([...where, '--dns-listen', '127.0.0.1:53', '--log-level', 'warn', ...args], { within })
}

/**
 * Registers the name, publishes `records` (by label, as the API takes them) and waits until it has settled. Gives the
 * name with its check code.
 */
export async function own(
  daemon: Daemon,
  name: string,
  records: Readonly<Record<string, readonly { type: string; value: string }[]>>
): Promise<string> {
  const client = createClient({ baseUrl: daemon.summary.api_url, token: daemon.token })
  await register(daemon, name)
  await client.saveZone(name, { records: records as Parameters<typeof client.saveZone>[1]['records'] })
  await client.publishZone(name)
  await eventually(
    () => daemon.request('GET', `/api/explain/${name}`),
    ({ body }) => body?.state === 'settled'
  )
  const { check_code: code } = (await daemon.request('GET', `/api/resolve/${name}`)).body as { check_code: string }
  return name.replace('.', `--${code.slice(0, 6)}.`)
}
