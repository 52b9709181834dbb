import { beforeEach, describe, expect, it } from 'vitest'
import { highestSerial } from '../../../src/protocol/claim/claim.ts'
import { keys } from '../../../src/store/keys.ts'
import { profile } from '../test-profile.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, code, publish, SECOND, useWorkbench, withPayload, withZone, ZONE } from '../workbench.ts'

const bench = useWorkbench()
const { start, registered, held } = bench

let node: TestNode

beforeEach(async () => {
  node = await start()
})

const registeredWithZone = async (): Promise<void> => {
  const { task_id } = await node.registry.register(ALICE, { zone: ZONE })
  await bench.finish(node, task_id)
}
const expectLocal = (state: 'draft' | 'published', zone: object) =>
  expect(node.registry.localZone(ALICE)).toEqual({ source: 'local', state, zone })

describe('zones', () => {
  it('are saved here only, with a serial higher than any seen, and published when asked', async () => {
    await registered()
    expect(node.registry.saveZone(ALICE, ZONE)).toEqual({ serial: 2 })
    expectLocal('draft', { serial: 2, ...ZONE })
    expect((await node.registry.publicZone(ALICE)).zone.records).toEqual({})
    expect(await node.registry.publishZone(ALICE)).toEqual({ serial: 2, stored_by: 5, of: 5 })
    expect((await node.registry.publicZone(ALICE)).zone).toEqual({ serial: 2, ...ZONE })
    expect(node.registry.ownedNames()).toMatchObject([{ serial: 2, published_serial: 2 }])
    expectLocal('published', { serial: 2, ...ZONE })
  })

  it('are held against the rules without being saved, of any name', () => {
    expect(() => node.registry.checkZone(ALICE, ZONE)).not.toThrow()
    expect(() => node.registry.checkZone(ALICE, { records: { '@': [{ type: 'A', value: '192.0.2.300' }] } })).toThrow(
      code('SVC-ZON-002')
    )
    expect(() => node.registry.checkZone('no name', ZONE)).toThrow(code('SVC-NAM-001'))
    expect(node.registry.drafts()).toEqual([])
  })

  it('may be prepared while the name is being registered, and for no name of others', async () => {
    expect(() => node.registry.saveZone(ALICE, ZONE)).toThrow(code('SVC-OWN-001'))
    expect(() => node.registry.patchZone(ALICE, { remove: [], add: ZONE.records })).toThrow(code('SVC-OWN-001'))
    expect(node.registry.drafts()).toEqual([])
    const { task_id } = await node.registry.register(ALICE, {})
    expect(node.registry.saveZone(ALICE, ZONE)).toEqual({ serial: 1 })
    expect(node.registry.drafts()).toEqual([
      { name: ALICE, serial: 1, published_serial: null, records: 1, owner: 'registering' }
    ])
    await bench.finish(node, task_id)
    expect(node.registry.drafts()).toEqual([])
    expect((await node.registry.publicZone(ALICE)).zone).toEqual({ serial: 1, ...ZONE })
  })

  it('are not signed once the request has ended; what is signed goes out', async () => {
    await registered()
    node.registry.saveZone(ALICE, ZONE)
    const { network } = node
    const gone = new AbortController()
    network.before = (kind) => {
      if (kind === 'get') gone.abort(new Error('gone'))
    }
    const signed = node.store.get(keys.ownedName(ALICE))
    await expect(node.registry.publishZone(ALICE, gone.signal)).rejects.toThrow('gone')
    expect(node.store.get(keys.ownedName(ALICE))).toEqual(signed)
    const late = new AbortController()
    network.before = (kind) => {
      if (kind === 'reveal') late.abort(new Error('gone'))
    }
    expect(await node.registry.publishZone(ALICE, late.signal)).toEqual({ serial: 2, stored_by: 5, of: 5 })
  })

  it('go out unchanged when published twice: two payloads of one serial would be an equivocation', async () => {
    await registered()
    await publish(node, ZONE)
    const before = held()
    expect(await node.registry.publishZone(ALICE)).toMatchObject({ serial: 2 })
    expect(held()).toEqual(before)
  })

  it('get a serial above what another device with the same seed has published', async () => {
    await registered()
    await node.registry.publish(withZone(held(), 41))
    expect(node.registry.saveZone(ALICE, ZONE)).toEqual({ serial: 42 })
  })

  it('are refused when they break a rule, with the place of each problem', () => {
    expect(() => node.registry.saveZone(ALICE, { records: { www: [{ type: 'A', value: 'x' }] } })).toThrow(
      code('SVC-ZON-002', { errors: [expect.objectContaining({ path: 'records/www/0/value' })] })
    )
  })

  it('are not overwritten when they changed since (SVC-ZON-004)', async () => {
    await registered()
    const { serial } = node.registry.saveZone(ALICE, ZONE, 1)
    expect(node.registry.saveZone(ALICE, ZONE, serial)).toEqual({ serial: 3 })
    expect(() => node.registry.saveZone(ALICE, ZONE, serial)).toThrow(code('SVC-ZON-004'))
    expect(() => node.registry.patchZone(ALICE, { remove: [], add: {} }, serial)).toThrow(code('SVC-ZON-004'))
    expect(() => node.registry.discardZone(ALICE, serial)).toThrow(code('SVC-ZON-004'))
    expect(node.registry.localZone(ALICE)?.zone.serial).toBe(3)
  })

  it('do not take the serial of a discarded draft: who saw that one would overwrite them', async () => {
    await registered()
    const { serial: seen } = node.registry.saveZone(ALICE, ZONE)
    node.registry.discardZone(ALICE)
    node.registry.saveZone(ALICE, { records: {} })
    expect(() => node.registry.saveZone(ALICE, ZONE, seen)).toThrow(code('SVC-ZON-004'))
    expect(() => node.registry.saveZone(ALICE, { serial: seen, ...ZONE })).toThrow(code('SVC-ZON-002'))
    expectLocal('draft', { serial: 3, records: {} })
  })

  it('keep the serial that is asked for when it is above all seen, and are refused otherwise', async () => {
    await registered()
    expect(node.registry.saveZone(ALICE, { serial: 9, ...ZONE })).toEqual({ serial: 9 })
    for (const serial of [9, 1, 0]) {
      const refused = code('SVC-ZON-002', {
        errors: [
          {
            path: 'serial',
            message: `${serial} is not above 9, the highest serial seen of ${ALICE}: leave it out, or give 10 or more`
          }
        ]
      })
      expect(() => node.registry.saveZone(ALICE, { serial, ...ZONE })).toThrow(refused)
    }
    expect(await node.registry.publishZone(ALICE)).toMatchObject({ serial: 9 })
  })

  it('take no serial ahead of time, with a task neither, and keep the draft', async () => {
    await registered()
    node.registry.saveZone(ALICE, ZONE)
    const highest = highestSerial({ verified: node.beacon.latest()!.round }, profile)
    for (const serial of [highest + 1, Number.MAX_SAFE_INTEGER]) {
      const refused = code('SVC-ZON-002', {
        errors: [
          {
            path: 'serial',
            message:
              `${serial} is ahead of time, ${highest} microseconds since 1970, and peers refuse it: ` +
              `leave it out, or give one from 3 to ${highest}`
          }
        ]
      })
      expect(() => node.registry.saveZone(ALICE, { serial, ...ZONE })).toThrow(refused)
      await expect(node.registry.renew(ALICE, { zone: { serial, ...ZONE } })).rejects.toThrow(refused)
    }
    expect(node.tasks.list().filter(({ status }) => status === 'running')).toEqual([])
    expectLocal('draft', { serial: 2, ...ZONE })

    expect(node.registry.saveZone(ALICE, { serial: highest, ...ZONE })).toEqual({ serial: highest })
    expect(() => node.registry.saveZone(ALICE, ZONE)).toThrow(
      /is allowed 1 s after the newest pulse known here: save it again then$/
    )
    expect(node.registry.localZone(ALICE)?.zone.serial).toBe(highest)
    expect(await node.registry.publishZone(ALICE)).toMatchObject({ serial: highest })
    await bench.clock.advance(profile.beacon.period * SECOND)
    expect(node.registry.saveZone(ALICE, ZONE)).toEqual({ serial: highest + 1 })
  })

  it('are judged whole after a change: DS joins the NS that is there, and needs one', async () => {
    await registeredWithZone()
    const ns = { type: 'NS', value: 'ns1.example.org.' }
    const ds = (tag: number) => ({ type: 'DS', value: `${tag} 13 2 ${'ab'.repeat(32)}` })
    const add = (label: string, record: { type: string; value: string }) =>
      node.registry.patchZone(ALICE, { remove: [], add: { [label]: [record] } })
    expect(() => add('sub', ds(1))).toThrow(code('SVC-ZON-002'))
    add('sub', ns)
    add('sub', ds(1))
    add('sub', ds(2))
    expect(node.registry.localZone(ALICE)?.zone.records['sub']).toEqual([ns, ds(1), ds(2)])
    expect(() => add('sub', { type: 'CNAME', value: '@' })).toThrow(code('SVC-ZON-002'))
    expect(() => node.registry.patchZone(ALICE, { remove: [{ label: 'sub', type: 'NS' }], add: {} })).toThrow(
      code('SVC-ZON-002')
    )
  })

  it('are changed record by record, on the draft or else on what is published', async () => {
    await registeredWithZone()
    const www = { type: 'A', value: '192.0.2.7' }
    expect(node.registry.patchZone(ALICE, { remove: [], add: { www: [www, { type: 'TXT', value: 'x' }] } })).toEqual({
      serial: 2
    })
    expect(node.registry.localZone(ALICE)?.zone.records).toEqual({
      ...ZONE.records,
      www: [www, { type: 'TXT', value: 'x' }]
    })
    // Both in one: a CNAME excludes other records.
    node.registry.patchZone(ALICE, { remove: [{ label: 'www' }], add: { www: [{ type: 'CNAME', value: '@' }] } })
    expect(node.registry.localZone(ALICE)?.zone.records).toEqual({
      ...ZONE.records,
      www: [{ type: 'CNAME', value: '@' }]
    })
    node.registry.patchZone(ALICE, {
      remove: [{ label: 'www', type: 'cname', value: '@' }],
      add: { '@': [{ ...ZONE.records['@'][0]!, ttl: 60 }] }
    })
    expect(node.registry.localZone(ALICE)?.zone).toEqual({
      serial: 4,
      records: { '@': [{ type: 'A', value: '192.0.2.1', ttl: 60 }] }
    })
  })

  it('are not changed when one of the records to remove is not there, or the whole breaks a rule', async () => {
    await registeredWithZone()
    const remove = [{ label: '@', type: 'A' }, { label: 'constructor' }, { label: '@', type: 'A', value: '192.0.2.2' }]
    expect(() => node.registry.patchZone(ALICE, { remove, add: {} })).toThrow(
      code('SVC-ZON-002', {
        errors: [expect.objectContaining({ path: 'remove/1' }), expect.objectContaining({ path: 'remove/2' })]
      })
    )
    expect(() =>
      node.registry.patchZone(ALICE, { remove: [], add: { '@': [{ type: 'CNAME', value: 'www' }] } })
    ).toThrow(code('SVC-ZON-002'))
    expect(node.registry.drafts()).toEqual([])
  })

  it('may be discarded until they are published, and what is published stays', async () => {
    await registeredWithZone()
    expect(() => node.registry.discardZone(ALICE)).toThrow(code('SVC-ZON-003'))
    node.registry.saveZone(ALICE, { records: {} })
    expect(node.registry.drafts()).toEqual([
      { name: ALICE, serial: 2, published_serial: 1, records: 0, owner: 'owned' }
    ])
    node.registry.discardZone(ALICE)
    expect(node.registry.drafts()).toEqual([])
    expectLocal('published', { serial: 1, ...ZONE })
    // What is published is a local zone too, as GET says.
    expect(await node.registry.publishZone(ALICE)).toEqual({ serial: 1, stored_by: 5, of: 5 })
  })

  it('of a registration under way go out with its reveal, and a publication says so', async () => {
    node.pool.instant = false
    const { task_id } = await node.registry.register(ALICE, { zone: ZONE })
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow(
      expect.objectContaining({
        code: 'SVC-OWN-001',
        message: expect.stringContaining('still being registered') as string
      })
    )
    await node.tasks.remove(task_id)
  })

  it("of a registration that was given up are listed as nobody's and can be discarded", async () => {
    node.pool.instant = false
    const { task_id } = await node.registry.register(ALICE, { zone: ZONE })
    await node.tasks.remove(task_id)
    expect(node.registry.drafts()).toMatchObject([{ name: ALICE, owner: 'unowned' }])
    expect(() => node.registry.saveZone(ALICE, ZONE)).toThrow(code('SVC-OWN-001'))
    node.registry.discardZone(ALICE)
    expect(node.registry.drafts()).toEqual([])
  })

  it('that were published here do not come back over a newer record that was signed elsewhere', async () => {
    await registered()
    await publish(node, ZONE)
    await node.registry.publish(withZone(held(), 41))
    expectLocal('published', { serial: 41, records: {} })
    expect(await node.registry.publishZone(ALICE)).toMatchObject({ serial: 41 })
    expect((await node.registry.publicZone(ALICE)).zone).toEqual({ serial: 41, records: {} })
  })

  it('can be published by the owner only, also when they were never edited', async () => {
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow(code('SVC-OWN-001'))
    await registered()
    const { signature } = held()
    expect(await node.registry.publishZone(ALICE)).toEqual({ serial: 1, stored_by: 5, of: 5 })
    expect(held().signature).toEqual(signature)
    expect(node.registry.drafts()).toEqual([])
  })

  it('are not published where the newest record, which another program signed, has none', async () => {
    await registered()
    await node.registry.publish(withPayload(held(), new TextEncoder().encode('{"records":{"@":"?"},"serial":2}')))
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow(code('SVC-ZON-003'))
  })

  it('say how many peers hold them when those are too few (SVC-PUB-002)', async () => {
    await registered()
    node.registry.saveZone(ALICE, ZONE)
    for (const peer of bench.world.peers.slice(1)) peer.refuses = 'busy'
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow(
      code('SVC-PUB-002', { extensions: { stored_by: 1, of: 5 } })
    )
    expect(node.registry.ownedNames()).toMatchObject([{ serial: 2, published_serial: 1 }])
  })

  it('are published as often as peers take changes, and then refused with the time to wait (SVC-REQ-005)', async () => {
    await registered()
    const change = (last: number) => {
      node.registry.saveZone(ALICE, { records: { '@': [{ type: 'A', value: `192.0.2.${last}` }] } })
      return node.registry.publishZone(ALICE)
    }
    const { burst, interval } = profile.changes
    for (let last = 1; last <= burst; last++) await change(last)
    await expect(change(100)).rejects.toThrow(code('SVC-REQ-005', { retryAfter: interval }))
    expect(node.registry.drafts()).toHaveLength(1)
    await bench.clock.advance(interval * 1000)
    await node.registry.publishZone(ALICE)
    // The same record again is not a change.
    await node.registry.publishZone(ALICE)
    expect((await node.registry.publicZone(ALICE)).zone.records).toEqual({ '@': [{ type: 'A', value: '192.0.2.100' }] })
  })

  it('of others that do not parse are SVC-ZON-001', async () => {
    await registered()
    bench.holdEverywhere(withPayload(held(), Buffer.from('not a zone')))
    const other = await start({ self: 'peer-1', seed: 2 })
    await expect(other.registry.publicZone(ALICE)).rejects.toThrow(code('SVC-ZON-001'))
  })

  it('have no local view where none was saved', () => {
    expect(node.registry.localZone(ALICE)).toBeUndefined()
  })
})
