/** The key and the records of a signed list, and that a daemon takes them from a name server. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { BootstrapNames } from '../../../src/network/bootstrap/names.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { openStore } from '../../../src/store/open.ts'
import { DnsScene } from '../dns/scene.ts'
import { TxtServer } from '../../network/bootstrap/txt-server.ts'
import { temporary } from '../../temporary.ts'
import { cli, says, words } from '../harness.ts'

const PEER = '12D3KooWHCSCJ8b55Ucb6SrPyMoaCSQJvt6LD5Wb1t5QU3xU5CMY'
const ADDRESSES = [`/ip6/2a00::1/tcp/7469/p2p/${PEER}`, `/ip4/45.1.0.2/tcp/7469/p2p/${PEER}`, '/dnsaddr/more.example']
const EXPIRES = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10)
let file: string
let key: string

const sign = (...more: readonly string[]) =>
  cli(['network', 'bootstrap-list', 'sign', '--key', file, '--network', 'main', ...more])
const named = ['--name', 'Boot.example.', '--expires', EXPIRES]

beforeAll(async () => {
  file = join(temporary(), 'key')
  const made = await cli(words`network bootstrap-list make-key ${file} --no-json`)
  expect(made.exitCode).toBe(0)
  key = made.stdout.trim()
})

it('makes a key in a private file, and overwrites none', async () => {
  expect(key).toMatch(/^z6Mk/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toMatch(/^# Key of the list of bootstrap peers of a Chronym network\. Keep/)
  expect(await cli(words`network bootstrap-list make-key ${file}`)).toMatchObject(says(2, 'is there already'))
})

it('signs records that a daemon takes as they are printed', async () => {
  const { stdout, exitCode } = await sign(...named, '--no-json', ...ADDRESSES)
  expect(exitCode).toBe(0)
  const printed = stdout.trim().split('\n')
  const texts = printed.map((line) => /^_dnsaddr\.boot\.example\. 300 IN TXT "(.+)"$/.exec(line)![1]!)
  const scene = new DnsScene()
  const server = await TxtServer.start(scene)
  const store = openStore(join(temporary(), 'chronym.db'))
  try {
    server.lists.set('boot.example', texts)
    const told: unknown[] = []
    const names = new BootstrapNames({
      store,
      resolvers: [server.address],
      key,
      profileHash: profileHash(builtInProfiles.main),
      nowMs: () => Date.parse(EXPIRES) - 1,
      log: { warn: (each: unknown) => void told.push(each) }
    })
    await names.look(['/dnsaddr/boot.example'])
    expect(names.expand(['/dnsaddr/boot.example'])).toEqual([ADDRESSES[1], ADDRESSES[0]])
    expect(told).toEqual([{ name: 'more.example', reason: 'it has no TXT record at _dnsaddr' }])
  } finally {
    store.close()
    await scene.end()
  }
  const { records, name, expires } = JSON.parse((await sign(...named, '--json', ...ADDRESSES)).stdout) as Record<
    string,
    unknown
  >
  expect([name, records, expires]).toEqual(['_dnsaddr.boot.example', texts, `${EXPIRES}T00:00:00.000Z`])
})

it.each([
  [['--name', 'a*b', '--expires', EXPIRES, ADDRESSES[0]!], 'no name in DNS'],
  [['--name', 'b.example', '--expires', '2020-01-01', ADDRESSES[0]!], 'in the future and at most 400 days away'],
  [['--name', 'b.example', '--expires', '2999-01-01', ADDRESSES[0]!], 'in the future and at most 400 days away'],
  [['--name', 'b.example', '--expires', 'tomorrow', ADDRESSES[0]!], 'a day or an instant in UTC'],
  [[...named, '/ip4/45.1.0.2/tcp/7469'], 'no multiaddr with IP address, TCP port and peer id'],
  [[...named, `/ip4/2a00::1/tcp/7469/p2p/${PEER}`], 'no multiaddr with IP address'],
  [[...named, `/dns4/boot.example/tcp/7469/p2p/${PEER}`], 'no multiaddr with IP address'],
  [named, 'missing required argument']
])('refuses %s', async (options, reason) => expect(await sign(...options)).toMatchObject(says(2, reason)))

it('refuses a file that holds no key', async () => {
  const wrong = join(temporary(), 'wrong')
  writeFileSync(wrong, 'one two three\n')
  const args = words`network bootstrap-list sign --network main --key ${wrong}`
  expect(await cli([...args, ...named, ADDRESSES[0]!])).toMatchObject(says(2, 'holds no whole bootstrap key'))
})
