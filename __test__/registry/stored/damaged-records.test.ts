/**
 * Records of the database that can be decoded, but are not what this version writes: a damaged disk, or another
 * version.
 */
import { claimOf } from '../../../src/protocol/claim/claim.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { decode, encode } from 'cborg'
import { describe, expect, it } from 'vitest'
import { AwakeTime } from '../../../src/registry/upkeep/awake-time.ts'
import { LocalZones } from '../../../src/registry/stored/local-zones.ts'
import { Memory } from '../../../src/registry/stored/memory.ts'
import { OwnedNames } from '../../../src/registry/stored/owned-names.ts'
import { Pins } from '../../../src/registry/stored/pins.ts'
import { Receipts } from '../../../src/registry/stored/receipts.ts'
import { keys } from '../../../src/store/keys.ts'
import { MemoryStore } from '../claims/fakes.ts'
import { profile } from '../test-profile.ts'
import { ALICE, SECOND, useWorkbench, ZONE } from '../workbench.ts'

const bench = useWorkbench()

const HASH = new Uint8Array(32)
const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

/** Values that no record is. */
const ANYTHING: readonly unknown[] = [null, 7, 'text', [], {}, [null], HASH]

const SEEN = { newestRound: 5, serial: 1, payloadHash: HASH, recordHash: HASH }
const PIN = { state: 'tentative', pubkey: HASH, newestRound: 5, firstRound: 6, lookRound: 7 }
const RECEIPT = { peer: 'peer', seenRound: 5, signature: HASH }

describe('a record of another shape', () => {
  it.each<[string, string, (value: unknown) => Uint8Array, unknown[], (store: MemoryStore) => unknown]>([
    [
      'of what was seen of a name',
      keys.seen(ALICE, HASH),
      encode,
      [
        { ...SEEN, serial: -1 },
        { ...SEEN, newestRound: 1.5 },
        { ...SEEN, serial: 2 ** 53 },
        { ...SEEN, payloadHash: new Uint8Array(31) },
        { ...SEEN, recordHash: 'x' }
      ],
      (store) => new Memory(store).newest(ALICE, HASH)
    ],
    [
      'of a pin',
      keys.pin(ALICE),
      encode,
      [
        { ...PIN, newestRound: '5' },
        { ...PIN, pubkey: new Uint8Array(33) },
        { ...PIN, state: 'firm' },
        { ...PIN, rival: 'x' },
        { pubkey: HASH, newestRound: 5 }
      ],
      (store) => new Pins(store, profile).get(ALICE)
    ],
    [
      'of a name of ours',
      keys.ownedName(ALICE),
      encode,
      [
        { reveal: HASH, publishedSerial: 1 },
        { reveal: [], publishedSerial: 1 }
      ],
      (store) => new OwnedNames(store, profile).get(ALICE)
    ],
    [
      'of receipts',
      keys.receipts(ALICE),
      encode,
      [
        { commitment: HASH, pulseRound: -5, receipts: [] },
        { commitment: HASH, pulseRound: 5, receipts: [{ ...RECEIPT, seenRound: NaN }] },
        { commitment: HASH, pulseRound: 5, receipts: {} }
      ],
      (store) => new Receipts(store).get(ALICE)
    ],
    [
      'of a zone',
      keys.zone(ALICE),
      json,
      [
        { serial: 1 },
        { serial: 1, records: [] },
        { serial: 1, records: { '@': {} } },
        { serial: 1.5, records: {} },
        { serial: 1, records: { '@': [{ type: 'A' }] } },
        { serial: 1, records: { '@': [{ type: 'NONE', value: '' }] } }
      ],
      (store) => new LocalZones(store).get(ALICE)
    ],
    // A clock, and milliseconds of a day, that there are not.
    [
      'of how long the machine was awake',
      keys.awake(),
      encode,
      [
        [Infinity, []],
        [0, [[1, 1e9]]],
        [0, [[1, -1]]]
      ],
      (store) => (new AwakeTime(store, bench.clock, SECOND), undefined)
    ]
  ])('%s is set aside', (_what, key, write, values, read) => {
    for (const value of [...ANYTHING, ...values]) {
      const store = new MemoryStore()
      store.put(key, write(value))
      expect(read(store), JSON.stringify(value)).toBeUndefined()
      expect(store.unreadable, JSON.stringify(value)).toEqual([key])
    }
  })

  it('keeps a name neither from being resolved nor from being renewed', async () => {
    const node = await bench.start()
    await bench.registered()
    await node.registry.resolve(ALICE)
    const { pubkey } = bench.held()
    const { id } = claimOf(bench.held(), ALICE as Name, profile)
    const damaged = [keys.seen(ALICE, id), keys.pin(ALICE), keys.receipts(ALICE)]
    for (const key of damaged) expect(node.store.get(key), key).toBeDefined()
    for (const key of damaged) node.store.put(key, encode({ newestRound: 'x' }))
    node.store.put(keys.zone(ALICE), json({ serial: 1, records: 5 }))
    expect(await node.registry.explain(ALICE, { withOwn: true })).toMatchObject({ own: { receipts: null } })
    expect((await node.registry.resolve(ALICE)).reveal.pubkey).toEqual(pubkey)
    expect(node.registry.saveZone(ALICE, ZONE)).toEqual({ serial: expect.any(Number) })
    await bench.renewed(node)
    expect(node.store.unreadable.toSorted()).toEqual([...damaged, keys.zone(ALICE)].toSorted())
  })

  it('of another name is not taken for one of this', async () => {
    const node = await bench.start()
    await bench.registered()
    node.store.put(keys.ownedName('bob.chronym'), node.store.get(keys.ownedName(ALICE))!)
    expect(node.registry.ownedNames().map(({ name }) => name)).toEqual([ALICE])
    expect(node.store.unreadable).toEqual([keys.ownedName('bob.chronym')])
  })

  it('of what a finished proof was made for keeps no name from being registered', async () => {
    const node = await bench.start()
    node.network.fail('reveal')
    const { task_id } = await node.registry.register(ALICE, {})
    expect(await bench.finish(node, task_id)).toMatchObject({ status: 'failed' })
    expect((await node.registry.estimate(ALICE)).proof_kept).toBe(true)
    const key = keys.proof('register', ALICE)
    const kept = decode(node.store.get(key)!) as { plan: object }
    node.store.put(key, encode({ ...kept, plan: { ...kept.plan, context: encode({ salt: HASH, pulseRound: 'x' }) } }))
    expect((await node.registry.estimate(ALICE)).proof_kept).toBe(false)
    node.network.before = () => undefined
    await bench.registered()
  })
})

it('a zone keeps labels that objects have by themselves', () => {
  const zones = new LocalZones(new MemoryStore())
  const records = {
    constructor: [{ type: 'A' as const, value: '192.0.2.1' }],
    prototype: [{ type: 'A' as const, value: '192.0.2.2', ttl: 60 }]
  }
  zones.save(ALICE, { serial: 3, records })
  expect(zones.get(ALICE)).toEqual({ serial: 3, records })
})
