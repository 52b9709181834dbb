/** Names of bootstrap peers, asked of a real name server on loopback. */
import { join } from 'node:path'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Bootstrap } from '../../../src/network/bootstrap/bootstrap.ts'
import { BootstrapNames, dnsaddrName } from '../../../src/network/bootstrap/names.ts'
import { dialable } from '../../../src/network/transport/gater.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { openStore } from '../../../src/store/open.ts'
import { keys } from '../../../src/store/keys.ts'
import type { OpenedStore } from '../../../src/store/types.ts'
import { DnsScene } from '../../cli/dns/scene.ts'
import { temporary } from '../../temporary.ts'
import { TxtServer } from './txt-server.ts'

const PEERS = [
  '12D3KooWHCSCJ8b55Ucb6SrPyMoaCSQJvt6LD5Wb1t5QU3xU5CMY',
  '12D3KooWGRUVh5W3rJVn2ZqGhVyJgYVRTxCUEXnTxFSbYjdhDFqr'
]
const at = (index: number, peer = 0): string => `/ip4/45.${index}.0.2/tcp/7469/p2p/${PEERS[peer]!}`
const ROOT = '/dnsaddr/boot.example'

let scene: DnsScene
let server: TxtServer
let store: OpenedStore
let nowMs: number
let told: { name: string; reason: string }[]

const open = (): BootstrapNames =>
  new BootstrapNames({
    store,
    resolvers: [server.address],
    key: '',
    profileHash: new Uint8Array(32),
    nowMs: () => nowMs,
    log: { warn: (each: { name: string; reason: string }) => void told.push(each) }
  })

beforeEach(async () => {
  scene = new DnsScene()
  server = await TxtServer.start(scene)
  store = openStore(join(temporary(), 'chronym.db'))
  nowMs = 1_800_000_000_000
  told = []
})

afterEach(async () => {
  store.close()
  await scene.end()
})

describe('/dnsaddr/NAME', () => {
  it('leads to all addresses of a name, and of the names that it names', async () => {
    server.lists.set('boot.example', [
      `dnsaddr=${at(1)}`,
      'v=spf1 -all',
      `dnsaddr=/dnsaddr/more.example`,
      `dnsaddr=${at(2)}`
    ])
    server.lists.set(
      'more.example',
      Array.from({ length: 40 }, (_, index) => `dnsaddr=${at(index + 10)}`)
    )
    const names = open()
    await names.look([ROOT])
    expect(names.expand([ROOT])).toHaveLength(42)
    expect(names.expand([ROOT])).toEqual(expect.arrayContaining([at(1), at(2), at(49)]))
    expect(names.faults()).toEqual([])
  })

  it('with a peer id leads to that peer alone', async () => {
    server.lists.set('boot.example', [`dnsaddr=${at(1)}`, `dnsaddr=${at(2, 1)}`])
    const names = open()
    await names.look([`${ROOT}/p2p/${PEERS[1]!}`])
    expect(names.expand([`${ROOT}/p2p/${PEERS[1]!}`])).toEqual([at(2, 1)])
  })

  it('leads to no address that is not IP and port of a peer, and to none that is too long', async () => {
    const bad = [
      at(3).replace(/\/p2p.*/, ''),
      `/dns4/inside.example/tcp/80/p2p/${PEERS[0]!}`,
      'none',
      `/dnsaddr/..`,
      `${at(4)}/p2p-circuit`
    ]
    server.lists.set(
      'boot.example',
      [...bad, '/dnsaddr/' + 'a.'.repeat(130) + 'b', at(1)].map((each) => `dnsaddr=${each}`)
    )
    const names = open()
    await names.look([ROOT])
    expect(names.expand([ROOT])).toEqual([at(1)])
  })

  it('gives what it leads to no right that a user gives: neither the private range nor a host is dialled', async () => {
    server.lists.set('boot.example', [`dnsaddr=${at(1).replace('45.1.0.2', '10.0.0.9')}`, `dnsaddr=${at(2)}`])
    const bootstrap = new Bootstrap({
      bootstrap: [ROOT],
      resolvers: [server.address],
      profile: builtInProfiles.main,
      store,
      clock: { nowMs: () => nowMs },
      log: { info: () => undefined, warn: () => undefined }
    })
    bootstrap.start({ every: () => () => undefined }, () => [])
    await expect.poll(() => bootstrap.addresses()).toHaveLength(2)
    const mayDial = dialable({
      profile: builtInProfiles.main,
      listen: [],
      bootstrap: () => bootstrap.named().map((text) => multiaddr(text))
    })
    expect(bootstrap.addresses().map((text) => mayDial(multiaddr(text)))).toEqual([false, true])
    expect(bootstrap.expectsOthers).toBe(true)
  })

  it('ends in circles, at depth, and at a number of names and addresses', async () => {
    server.lists.set(
      'boot.example',
      [ROOT, '/dnsaddr/d1.example'].map((each) => `dnsaddr=${each}`)
    )
    for (let depth = 1; depth < 8; depth++)
      server.lists.set(`d${depth}.example`, [
        `dnsaddr=${ROOT}`,
        `dnsaddr=/dnsaddr/d${depth + 1}.example`,
        `dnsaddr=${at(depth)}`
      ])
    const names = open()
    await names.look([ROOT])
    expect(names.expand([ROOT])).toEqual([at(3), at(2), at(1)])
    expect(server.asked).toEqual(['boot.example', 'd1.example', 'd2.example', 'd3.example'])

    const wide = Array.from({ length: 30 }, (_, index) => `wide${index}.example`)
    server.lists.set(
      'boot.example',
      wide.map((name) => `dnsaddr=/dnsaddr/${name}`)
    )
    for (const [index, name] of wide.entries())
      server.lists.set(
        name,
        // Few enough for one datagram.
        Array.from({ length: 8 }, (_, each) => `dnsaddr=${at(8 * index + each)}`)
      )
    server.asked.length = 0
    nowMs += 3_600_000
    await names.look([ROOT])
    expect(server.asked).toHaveLength(16)
    expect(names.expand([ROOT])).toHaveLength(64)
  })

  it('keeps the last good list of each name while DNS fails, also over a restart, and tells why once', async () => {
    server.lists.set('boot.example', [`dnsaddr=${at(1)}`])
    await open().look([ROOT])
    server.isDown = true
    const names = open()
    await names.look([ROOT])
    nowMs += 20_000
    await names.look([ROOT])
    expect(names.expand([ROOT])).toEqual([at(1)])
    expect(told).toEqual([{ name: 'boot.example', reason: 'its name servers do not answer: ESERVFAIL' }])
    expect(names.faults()).toEqual(['/dnsaddr/boot.example (its name servers do not answer: ESERVFAIL)'])

    server.isDown = false
    server.lists.set('boot.example', ['dnsaddr=nothing'])
    nowMs += 40_000
    await names.look([ROOT])
    expect(names.expand([ROOT])).toEqual([at(1)])
    expect(told[1]?.reason).toMatch(/^no record of it is dnsaddr=/)

    server.lists.set('boot.example', [`dnsaddr=${at(2)}`])
    nowMs += 80_000
    await names.look([ROOT])
    expect(names.expand([ROOT])).toEqual([at(2)])
    expect(names.faults()).toEqual([])
  })

  it('is asked for again after five minutes, or ten seconds, twenty and so on while it fails', async () => {
    const names = open()
    const times: number[] = []
    const count = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 5) {
        const before = server.asked.length
        await names.look([ROOT])
        if (server.asked.length > before) times.push(second)
        nowMs += 5_000
      }
    }
    await count(160)
    expect(times).toEqual([0, 10, 30, 70, 150])
    server.lists.set('boot.example', [`dnsaddr=${at(1)}`])
    nowMs += 3_600_000
    times.length = 0
    await count(620)
    expect(times).toEqual([0, 300, 600])
    // A clock that was set back by a year.
    nowMs -= 365 * 86_400_000
    await names.look([ROOT])
    expect(server.asked.length).toBe(9)
  })

  it('is forgotten where nothing leads to it any more, and damaged storage keeps nothing from starting', async () => {
    server.lists.set('boot.example', [`dnsaddr=${at(1)}`])
    const names = open()
    await names.look([ROOT])
    nowMs += 3_600_000
    await names.look([])
    expect(names.expand([ROOT])).toEqual([])
    store.put(keys.bootstrapLists(), Buffer.from('{'))
    expect(open().expand([ROOT])).toEqual([])
  })

  it.each(['/dnsaddr/', '/dnsaddr/a b', `${ROOT}/tcp/1`, '/dnsaddr/-..x'])('is refused without a name: %s', (text) =>
    expect(() => dnsaddrName(text)).toThrow(/is not a (name|multiaddr)/)
  )
})
