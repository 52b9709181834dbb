/**
 * The emulator of a wide area (lab/wan) by itself: what small programs in its places measure. Times have lower bounds
 * alone, since a busy machine adds to each.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../wan/emulator.ts'
import { connect, type Place } from '../../wan/places.ts'
import { needPackages } from '../../../scripts/packages.ts'
import { makeNamespaces } from '../../../__test__/e2e/network/namespaces.ts'
import { Scene } from '../../../__test__/e2e/processes.ts'

const ROUND_TRIP_MS = 60
const SLOW = 1_000_000
const PORT = 7469
/** Longer than any answer takes, and as long as a test waits for none. */
const NO_ANSWER_MS = 1_500

/** Says where its client comes from, and then everything that the client says. */
const SERVER = `require('node:net').createServer((socket) => {
  socket.on('error', () => undefined)
  socket.write(socket.remoteAddress.replace('::ffff:', '') + '\\n')
  socket.pipe(socket)
}).listen(${PORT}, '::', () => console.log('listening'))`

/** Sends as many bytes, and ends when all have come back. */
const CLIENT = `const [host, bytes, waits] = process.argv.slice(1)
const began = performance.now()
let connected, text = '', got = 0
const finish = (result) => { console.log(JSON.stringify(result)); process.exit() }
const socket = require('node:net').connect(${PORT}, host, () => {
  connected = performance.now() - began
  socket.write('x'.repeat(Number(bytes)))
})
socket.on('data', (chunk) => {
  if (!text.includes('\\n')) text += chunk.toString()
  got += chunk.length
  if (text.includes('\\n') && got >= text.indexOf('\\n') + 1 + Number(bytes))
    finish({ seenAs: text.slice(0, text.indexOf('\\n')), connectedMs: connected, allMs: performance.now() - began })
})
socket.on('error', () => finish({ seenAs: null }))
setTimeout(() => finish({ seenAs: null }), Number(waits)).unref()`

interface Heard {
  readonly seenAs: string | null
  readonly connectedMs: number
  readonly allMs: number
}

const scene = new Scene()
let emulator: Emulator
let namespaces: string[]
/** Public by both versions, by IPv6 alone, a slow home with all that a router does, and one that does not hairpin. */
const [BOTH, SIX, HOME, OTHER] = [0, 1, 2, 3]
const PLACES: readonly Omit<Place, 'namespace'>[] = [
  { ipv4: '45.40.7.2', ipv6: '2a10:1:7::2' },
  { ipv6: '2a11:2:7::2' },
  { ipv4: '46.40.7.2', ipv6: '2a40:7::2', home: { title: '', nats: [], mode: 'light' } },
  { ipv4: '46.41.7.2', home: { title: '', nats: [], mode: 'light' } }
]

beforeAll(async () => {
  needPackages(['iproute2'])
  const made = makeNamespaces(PLACES.length, () => ({ addresses: [], listen: null, hasIPv6: true }))
  if (made === undefined) throw new Error('this test makes network namespaces: run it as root, with iproute2')
  scene.onEnd(() => made.remove())
  namespaces = made.places.map(({ surroundings }) => surroundings.within!.at(-1)!)
  const options = [
    '45.40.7.2 2a10:1:7::2',
    '2a11:2:7::2',
    `192.168.1.2 2a40:7::2 firewall up ${SLOW} down ${SLOW} mtu 1280 nat symmetric 46.40.7.2 forward ${PORT} hairpin`,
    `192.168.1.2 nat port-restricted 46.41.7.2 forward ${PORT}`
  ]
  const pairs = namespaces.flatMap((_, one) => namespaces.slice(0, one).map((_, other) => [one, other]))
  emulator = await startEmulator(scene, [
    ...options.map((each, at) => `place ${namespaces[at]!} ${each}`),
    ...pairs.map(([one, other]) => `trip ${one} ${other} ${ROUND_TRIP_MS}`)
  ])
  for (const [at, place] of PLACES.entries()) connect({ ...place, namespace: namespaces[at]! })
  for (const namespace of namespaces) {
    const server = scene.child(spawn('ip', ['netns', 'exec', namespace, process.execPath, '-e', SERVER]))
    await once(server.stdout, 'data')
  }
})
afterAll(() => scene.end())

async function ask(from: number, host: string, { bytes = 1, waitsMs = 30_000 } = {}): Promise<Heard> {
  const args = ['netns', 'exec', namespaces[from]!, process.execPath, '-e', CLIENT, host, `${bytes}`, `${waitsMs}`]
  return JSON.parse((await promisify(execFile)('ip', args)).stdout) as Heard
}
const refused = async (from: number, host: string): Promise<boolean> =>
  (await ask(from, host, { waitsMs: NO_ANSWER_MS })).seenAs === null

it('each IP version takes the round trip of the plan, and a place with one has no other', async () => {
  for (const [from, host] of [
    [SIX, '2a10:1:7::2'],
    [HOME, '45.40.7.2']
  ] as const)
    expect((await ask(from, host)).connectedMs).toBeGreaterThanOrEqual(ROUND_TRIP_MS)
  expect(await refused(SIX, '45.40.7.2')).toBe(true)
})

it('a firewall lets answers by IPv6 in, and nobody else', async () => {
  expect((await ask(HOME, '2a10:1:7::2')).seenAs).toBe('2a40:7::2')
  expect(await refused(BOTH, '2a40:7::2')).toBe(true)
  expect((await ask(SIX, '2a10:1:7::2')).seenAs).toBe('2a11:2:7::2')
})

it('a forwarded port leads in, back from the inside where the router hairpins', async () => {
  expect((await ask(BOTH, '46.40.7.2')).seenAs).toBe('45.40.7.2')
  expect((await ask(HOME, '46.40.7.2')).seenAs).toBe('46.40.7.2')
  expect((await ask(BOTH, '46.41.7.2')).seenAs).toBe('45.40.7.2')
  expect(await refused(OTHER, '46.41.7.2')).toBe(true)
})

it('a slow line takes its time and no long packets, both ways', async () => {
  await emulator.counts()
  const bytes = 100_000
  const { allMs } = await ask(HOME, '45.40.7.2', { bytes })
  expect(allMs).toBeGreaterThan((bytes * 8 * 1_000) / SLOW)
  await ask(BOTH, '46.40.7.2', { bytes: 20_000 })
  const { highest_rate_out, highest_rate_in, longest_wait_ms } = (await emulator.counts())[HOME]!
  for (const rate of [highest_rate_out, highest_rate_in]) {
    expect(rate).toBeGreaterThan((bytes * 8) / 10)
    expect(rate).toBeLessThanOrEqual(SLOW)
  }
  expect(longest_wait_ms).toBeGreaterThan(0)
})

it('a cut parts two groups until it heals', async () => {
  await emulator.command(`cut ${SIX} ${OTHER}`)
  expect(await refused(SIX, '2a10:1:7::2')).toBe(true)
  expect((await ask(HOME, '45.40.7.2')).seenAs).toBe('46.40.7.2')
  await emulator.command('heal')
  expect((await ask(SIX, '2a10:1:7::2')).seenAs).toBe('2a11:2:7::2')
})

it('packets of one version vanish above a length, in both directions', async () => {
  await emulator.command(`vanish ${BOTH} ipv6 100`)
  const { seenAs } = await ask(SIX, '2a10:1:7::2')
  expect(seenAs).toBe('2a11:2:7::2')
  expect((await ask(SIX, '2a10:1:7::2', { bytes: 1_000, waitsMs: NO_ANSWER_MS })).seenAs).toBeNull()
  expect((await ask(HOME, '45.40.7.2', { bytes: 1_000 })).seenAs).toBe('46.40.7.2')
  await emulator.command(`vanish ${BOTH} ipv6 65535`)
  await expect(emulator.command(`vanish ${BOTH} ipv5 0`)).rejects.toThrow('no version of IP: ipv5')
})

it('a home gets another public address', async () => {
  await emulator.command(`move ${HOME} 47.1.7.2`)
  expect((await ask(HOME, '45.40.7.2')).seenAs).toBe('47.1.7.2')
  expect((await ask(BOTH, '47.1.7.2')).seenAs).toBe('45.40.7.2')
  expect(await refused(BOTH, '46.40.7.2')).toBe(true)
  await expect(emulator.command('move 9 47.1.7.3')).rejects.toThrow('no such place: 9')
})

it('connections count where they were opened', async () => {
  const before = await emulator.counts()
  await ask(SIX, '2a10:1:7::2')
  const after = await emulator.counts()
  expect(after[SIX]!.opened - before[SIX]!.opened).toBe(1)
  expect(after[BOTH]!.accepted - before[BOTH]!.accepted).toBe(1)
  expect(after[SIX]!.bytes_out).toBeGreaterThan(before[SIX]!.bytes_out)
})

it('a line that stalls carries nothing meanwhile, and the others do', async () => {
  await emulator.command(`stall ${SIX} 600`)
  expect(await refused(SIX, '2a10:1:7::2')).toBe(true)
  expect((await ask(HOME, '45.40.7.2')).seenAs).toBe('47.1.7.2')
  const totals = JSON.parse(await emulator.end()) as Record<string, number>
  for (const what of ['refused_by_routers', 'too_big', 'cut_off']) expect(totals[what]).toBeGreaterThan(0)
  expect(totals['lost']).toBe(0)
})
