/**
 * docs/first-network.md, executed: each `sh` block of the page word by word, on daemons in network namespaces. Three
 * nodes by default, in three /16; `npm run rehearse` takes eleven, in six /24 (RUNBOOK_NODES).
 */
import { spawn } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cleanEnvironment, firstLine, ROOT, runBeacon } from '../../scripts/program.ts'
import { main, test } from '../../src/protocol/profile/built-in.ts'
import { parseProfile } from '../../src/protocol/profile/profile.ts'
import { clockRound } from '../../src/protocol/time.ts'
import { DnsScene } from '../cli/dns/scene.ts'
import { TxtServer } from '../network/bootstrap/txt-server.ts'
import { makeNamespaces } from './network/namespaces.ts'
import { Scene } from './processes.ts'

const NODES = Number(process.env['RUNBOOK_NODES'] ?? 3)
const isWhole = NODES === 11
const PAGE = readFileSync(join(ROOT, 'docs/first-network.md'), 'utf8')
const BLOCKS = [...PAGE.matchAll(/^```sh (\w+)\n([\s\S]*?)^```$/gm)].map(([, where, text]) => ({ where, text: text! }))

/** Where `main` costs hours: cheap names, short rounds of the dev beacon. Three nodes need smaller quorums too. */
const BASE = {
  ...main,
  beacon: test.beacon,
  ...{
    min_commit: 2,
    pulse_window: 60,
    contest: 1,
    settle: 8,
    provisional_settle: 120,
    pulse_fresh: 120,
    stamp_bits: 6
  },
  difficulty: { base: 1_100_000, by_length: [{ from: 1, factor: 1 }] },
  ...(!isWhole && { k: 3, witness_quorum: 2, repair_quorum: 2 }),
  bootstrap: [],
  bootstrap_key: ''
}

/** Two in each /24 and four in each /16 where there are eleven, else one in each /16. */
const addressOf = (index: number): string =>
  isWhole
    ? `45.${40 + (Math.floor(index / 2) % 3)}.${1 + Math.floor(index / 6)}.${2 + (index % 2)}`
    : `45.${40 + index}.1.2`

const scene = new Scene()
const dns = new DnsScene()
const directory = scene.directory()
const at = (machine: string, ...path: string[]): string => join(directory, machine, ...path)
const nodes = Array.from({ length: NODES }, (_, index) => `node-${index}`)
const watch = nodes[0]!
const taken = { count: 0 }
let common: Record<string, string>
let within: Map<string, readonly string[]>
let server: TxtServer

/** The blocks of the page in turn: none is left out or runs elsewhere than it says. */
const next = (where: string): string => {
  const block = BLOCKS[taken.count++]
  expect(block?.where).toBe(where)
  return block!.text
}

/** Runs a block on a machine; rejects with all that it said where any command of it fails. */
async function run(machine: string, text: string): Promise<string> {
  const [command, ...args] = [...(within.get(machine) ?? []), 'sh', '-e', '-c', text]
  const address = machine === 'desk' ? {} : { ADDRESS: addressOf(nodes.indexOf(machine)) }
  const env = { ...common, ...address, HOME: at(machine), CHRONYM_CONFIG: at(machine, 'config.toml') }
  const child = spawn(command, args, { cwd: at(machine), env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, all] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (all += String(chunk)))
  const code = await new Promise((resolve) => child.on('close', resolve))
  const log = at(machine, 'log')
  if (code !== 0)
    throw new Error(
      `on ${machine}, exit code ${String(code)}:\n${text}\n${all}\n${existsSync(log) ? readFileSync(log, 'utf8') : ''}`
    )
  return stdout
}

const onEach = (text: string): Promise<string[]> => Promise.all(nodes.map((node) => run(node, text)))

/** What a node learns of the name from all others now: it never answers from what it keeps. */
const explained = async (node: string): Promise<unknown> =>
  JSON.parse(
    await run(
      node,
      'curl --silent --header "Authorization: Bearer $(cat data/access_token)" http://127.0.0.1:7468/api/explain/probe.chronym'
    )
  )

/** What the page takes for granted on a machine. `systemctl` does what systemd does for a unit of Type=notify. */
function programs(): string {
  const bin = at('bin')
  const programs: Record<string, string> = {
    chronym: `exec "${process.execPath}" "${join(ROOT, 'src/cli/main.ts')}" "$@"`,
    sudo: 'exec "$@"',
    systemctl: `[ "$*" = "restart chronymd" ] || exit 64
if [ -f pid ]; then kill "$(cat pid)"; while kill -0 "$(cat pid)" 2>/dev/null; do sleep 0.1; done; fi
"${process.execPath}" "${join(ROOT, 'src/daemon/main.ts')}" --log-level warn >/dev/null 2>>log &
echo $! > pid
until curl --fail --silent --output /dev/null http://127.0.0.1:7468/healthz; do kill -0 "$(cat pid)"; sleep 0.2; done`
  }
  mkdirSync(bin)
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh -e\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return bin
}

beforeAll(async () => {
  const places = makeNamespaces(NODES, (index) => ({ addresses: [`${addressOf(index)}/8`], listen: null }))
  if (places === undefined) throw new Error('this test makes network namespaces: run it as root, with iproute2')
  scene.onEnd(() => places.remove())
  within = new Map(nodes.map((node, index) => [node, places.places[index]!.surroundings.within!]))
  for (const machine of ['desk', ...nodes]) mkdirSync(at(machine))
  scene.onEnd(() => {
    for (const node of nodes) {
      try {
        process.kill(Number(readFileSync(at(node, 'pid'), 'utf8')), 'SIGKILL')
      } catch {
        // It never began, or has ended.
      }
    }
  })
  server = await TxtServer.start(dns, places.ourHost)
  const { url } = await firstLine<{ url: string }>(scene.child(runBeacon(['--host', places.ourHost])))
  writeFileSync(at('desk', 'base.json'), JSON.stringify(BASE))
  common = {
    ...(cleanEnvironment() as Record<string, string>),
    PATH: [programs(), dirname(process.execPath), process.env['PATH']].join(':'),
    ...{ BASE: './base.json', CHRONYM_BEACON_URL: url, CHRONYM_DNS_FORWARD: server.address }
  }
})

afterAll(async () => {
  await scene.end()
  await dns.end()
})

it('has no more than 150 lines, and says where each block runs', () => {
  expect(PAGE.split('\n').length).toBeLessThanOrEqual(151)
  expect(PAGE.match(/^```sh/gm)).toHaveLength(BLOCKS.length)
})

it('2. makes a profile that all nodes take', async () => {
  await run('desk', next('desk'))
  const profile = JSON.parse(readFileSync(at('desk', 'first.json'), 'utf8')) as Record<string, unknown>
  expect(profile).toMatchObject({ id: 'first', k: isWhole ? 16 : 3, bootstrap: ['/dnsaddr/boot.example.org'] })
  expect(profile['bootstrap_key']).toMatch(/^z6Mk/)
  const real = JSON.stringify({ ...main, id: 'first', k: 16 })
  expect(() => parseProfile(JSON.parse(real))).not.toThrow()
  for (const node of nodes) copyFileSync(at('desk', 'first.json'), at(node, 'first.json'))
})

it('3. starts the nodes', async () => {
  await onEach(next('each'))
  writeFileSync(at('desk', 'addresses'), nodes.map((node) => readFileSync(at(node, 'address'), 'utf8')).join(''))
})

it('4. signs a list, by which all join', async () => {
  await run('desk', next('desk'))
  const lines = readFileSync(at('desk', 'list.zone'), 'utf8').trim().split('\n')
  expect(lines).toHaveLength(NODES + 1)
  server.lists.set(
    'boot.example.org',
    lines.map((line) => /^_dnsaddr\.boot\.example\.org\. 300 IN TXT "(.+)"$/.exec(line)![1]!)
  )
  await onEach(next('each'))
})

it('5. watches the network, in which a name resolves', async () => {
  await run(watch, next('watch'))
  const metrics = await run(watch, next('watch'))
  expect(metrics).toMatch(/^chronym_diverse_peers_missing.* 0$/m)
  expect(await explained(nodes[1]!)).toMatchObject({ error: null, name: 'probe.chronym' })
})

it('6. upgrades all, while names resolve without a gap', { timeout: NODES * 100_000 }, async () => {
  const text = next('turn')
  for (const [index, node] of nodes.entries()) {
    const done = { isReady: false }
    const restarting = run(node, text).finally(() => (done.isReady = true))
    restarting.catch(() => undefined)
    // The first one was restarted long ago when the last one is.
    for (let asked = 0; !done.isReady || asked === 0; asked++)
      expect(await explained(nodes[(index + 1) % NODES]!)).toMatchObject({ error: null })
    await restarting
  }
})

it('7. names the round of a day', async () => {
  const said = await run('desk', next('desk'))
  expect(Number(said)).toBe(clockRound(Date.parse('2027-06-01'), test.beacon))
})

it('8. shows who holds a name, and then the page ends', async () => {
  await run(watch, next('watch'))
  expect(taken.count).toBe(BLOCKS.length)
})
