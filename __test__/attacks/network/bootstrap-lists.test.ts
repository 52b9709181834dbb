/** Who controls what a daemon hears of DNS, against lists of bootstrap peers that the key of the network has signed. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BootstrapNames } from '../../../src/network/bootstrap/names.ts'
import { signList } from '../../../src/protocol/bootstrap-list.ts'
import { keyPairFromSeed } from '../../../src/protocol/crypto/ed25519.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { encodeMultikey } from '../../../src/protocol/identity/did.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { openStore } from '../../../src/store/open.ts'
import type { OpenedStore } from '../../../src/store/types.ts'
import { DnsScene } from '../../cli/dns/scene.ts'
import { TxtServer } from '../../network/bootstrap/txt-server.ts'
import { temporary } from '../../temporary.ts'

const ROOT = '/dnsaddr/boot.example'
const PEER = '12D3KooWHCSCJ8b55Ucb6SrPyMoaCSQJvt6LD5Wb1t5QU3xU5CMY'
const OURS = [1, 2, 3].map((index) => `/ip4/45.${index}.0.2/tcp/7469/p2p/${PEER}`)
const HIS = `/ip4/66.6.6.6/tcp/7469/p2p/${PEER}`
const KEY = keyPairFromSeed(sha256(utf8('key of the network')))
const MAIN = profileHash(builtInProfiles.main)
const NOW = 1_800_000_000
const DAY = 86_400

let scene: DnsScene
let server: TxtServer
let store: OpenedStore
let now: number
let told: string[]

const open = (key = encodeMultikey(KEY.publicKey)): BootstrapNames =>
  new BootstrapNames({
    store,
    resolvers: [server.address],
    key,
    profileHash: MAIN,
    nowMs: () => 1000 * now,
    log: { warn: ({ reason }: { reason: string }) => void told.push(reason) }
  })

const records = (addresses: readonly string[], ...signatures: readonly string[]): string[] => [
  ...signatures,
  ...addresses.map((address) => `dnsaddr=${address}`)
]

interface Signed {
  addresses?: readonly string[]
  name?: string
  expires?: number
  key?: typeof KEY
  hash?: Uint8Array
}

const signed = ({
  addresses = OURS,
  name = 'boot.example',
  expires = NOW + DAY,
  key = KEY,
  hash = MAIN
}: Signed): string => signList({ name, expires, addresses }, key, hash)

/** What a daemon has that hears these records now. */
async function hears(names: BootstrapNames, texts: readonly string[]): Promise<string[]> {
  server.lists.set('boot.example', texts)
  now += 3600
  await names.look([ROOT])
  return names.expand([ROOT])
}

beforeEach(async () => {
  scene = new DnsScene()
  server = await TxtServer.start(scene)
  store = openStore(join(temporary(), 'chronym.db'))
  now = NOW - DAY
  told = []
})

afterEach(async () => {
  store.close()
  await scene.end()
})

describe('a signed list of bootstrap peers', () => {
  it('is taken in any order, beside signatures of other networks and keys, and on the names that it names', async () => {
    const names = open()
    const withHost = [...OURS, `/dns4/host.example/tcp/7469/p2p/${PEER}`]
    expect(await hears(names, records(withHost, signed({ addresses: withHost })))).toEqual(OURS)
    const older = signed({ expires: NOW + 9 })
    const ofTest = signed({ hash: profileHash(builtInProfiles.test) })
    expect(await hears(names, records([...OURS].reverse(), older, ofTest, signed({})))).toEqual(OURS)
    now = NOW + 60
    expect(names.expand([ROOT])).toEqual(OURS)
    now = NOW - DAY
    const above = ['/dnsaddr/below.example']
    server.lists.set('below.example', records([HIS]))
    expect(await hears(names, records(above, signed({ addresses: above })))).toEqual([])
    server.lists.set('below.example', records(OURS, signed({ name: 'below.example' })))
    expect(await hears(names, records(above, signed({ addresses: above })))).toEqual(OURS)
  })

  it('[a liar in DNS who names peers] adds, drops and replaces none, and is named in the log by what is wrong', async () => {
    const names = open()
    const foreign = keyPairFromSeed(sha256(utf8('his key')))
    const lies: [string, string[]][] = [
      ['is not signed', records([HIS])],
      ['has no signature', records([HIS], signed({}))],
      ['has no signature', records([...OURS, HIS], signed({}))],
      ['has no signature', records(OURS.slice(1), signed({}))],
      ['has no signature', records([HIS], signed({ addresses: [HIS], key: foreign }))],
      ['has no signature', records(OURS, signed({ name: 'other.example' }))],
      ['has no signature', records(OURS, signed({ hash: profileHash(builtInProfiles.test) }))],
      ['has no signature', records(OURS, signed({}).replace(String(NOW + DAY), String(NOW + 2 * DAY)))],
      [
        'has no signature',
        records(OURS, signed({}).toUpperCase().replace('CHRONYM-BOOTSTRAP=V1', 'chronym-bootstrap=v1'))
      ],
      ['ended at 2027-01-14T08:00:00Z', records(OURS, signed({ expires: NOW - DAY }))],
      ['it has no TXT record', []],
      [
        'more than 64',
        records(
          Array.from({ length: 65 }, (_, port) => HIS.replace('7469', String(port + 1))),
          signed({})
        )
      ]
    ]
    for (const [reason, texts] of lies) {
      expect(await hears(names, texts)).toEqual([])
      expect(names.faults()[0]).toContain(reason)
    }
    expect(new Set(told).size).toBe(5)
    // One who names the true list beside his own address has the list refused, and what was known remains.
    expect(await hears(names, records(OURS, signed({})))).toEqual(OURS)
    for (const [, texts] of lies) expect(await hears(names, texts)).toEqual(OURS)
  })

  it('[a liar in DNS who shows an old list] does so until it ends, also where it is the last good one on disk', async () => {
    const old = records([OURS[0]!], signed({ addresses: [OURS[0]!], expires: NOW }))
    expect(await hears(open(), records(OURS, signed({})))).toEqual(OURS)
    expect(await hears(open(), old)).toEqual([OURS[0]!])
    server.isDown = true
    now = NOW - 1
    expect(open().expand([ROOT])).toEqual([OURS[0]!])
    now = NOW
    expect(open().expand([ROOT])).toEqual([])
  })

  it('that was kept is worth nothing under another key, and one that nobody signed nothing under any', async () => {
    await hears(open(''), records([HIS]))
    expect(open('').expand([ROOT])).toEqual([HIS])
    expect(open().expand([ROOT])).toEqual([])
    await hears(open(), records(OURS, signed({})))
    expect(open().expand([ROOT])).toEqual(OURS)
    expect(open(encodeMultikey(keyPairFromSeed(new Uint8Array(32)).publicKey)).expand([ROOT])).toEqual([])
    expect(() => open('z6MkNone')).toThrow('p2p.bootstrap_key')
  })
})
