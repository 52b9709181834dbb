import { beforeEach, describe, expect, it } from 'vitest'
import { nameKey } from '../../src/protocol/keys.ts'
import type { Name } from '../../src/protocol/names.ts'
import { profileHash } from '../../src/protocol/profile.ts'
import { signReveal } from '../../src/protocol/reveal.ts'
import { serializeZone } from '../../src/protocol/zone.ts'
import { profile, type TestNode } from './fakes.ts'
import { ALICE, code, useWorkbench, ZONE } from './workbench.ts'

const bench = useWorkbench()
const { start, registered, held } = bench

let node: TestNode

beforeEach(async () => {
  node = await start()
})

describe('zones', () => {
  it('are saved here only, with a serial higher than any seen, and published when asked', async () => {
    await registered()
    expect(node.registry.saveZone(ALICE, ZONE)).toEqual({ serial: 2 })
    expect(node.registry.localZone(ALICE)).toEqual({ source: 'local', zone: { serial: 2, ...ZONE } })
    expect((await node.registry.publicZone(ALICE)).zone.records).toEqual({})
    expect(await node.registry.publishZone(ALICE)).toEqual({ serial: 2, stored_by: 5, of: 5 })
    expect((await node.registry.publicZone(ALICE)).zone).toEqual({ serial: 2, ...ZONE })
    expect(node.registry.ownedNames()).toMatchObject([{ serial: 2, published_serial: 2 }])
  })

  it('may be prepared before the name is registered', async () => {
    expect(node.registry.saveZone(ALICE, ZONE)).toEqual({ serial: 1 })
    await registered()
    expect((await node.registry.publicZone(ALICE)).zone).toEqual({ serial: 1, ...ZONE })
  })

  it('go out unchanged when published twice: two payloads of one serial would be an equivocation', async () => {
    await registered()
    node.registry.saveZone(ALICE, ZONE)
    await node.registry.publishZone(ALICE)
    const before = held()
    expect(await node.registry.publishZone(ALICE)).toMatchObject({ serial: 2 })
    expect(held()).toEqual(before)
  })

  it('get a serial above what another device with the same seed has published', async () => {
    await registered()
    const { seed, key } = { seed: new Uint8Array(32).fill(1), key: profileHash(profile) }
    const { name, drand_pulse, iterations, vdf_proof } = held()
    const payload = serializeZone({ records: {} }, 41, profile)
    await node.registry.publish(signReveal({ name, drand_pulse, iterations, vdf_proof, payload }, nameKey(seed, key, ALICE as Name), key))
    expect(node.registry.saveZone(ALICE, ZONE)).toEqual({ serial: 42 })
  })

  it('are refused when they break a rule, with the place of each problem', () => {
    expect(() => node.registry.saveZone(ALICE, { records: { www: [{ type: 'A', value: 'x' }] } })).toThrow(
      expect.objectContaining({ code: 'SVC-ZON-002', errors: [expect.objectContaining({ path: 'records/www/0/value' })] }) as Error
    )
  })

  it('are not overwritten when they changed since (SVC-ZON-004)', () => {
    const { serial } = node.registry.saveZone(ALICE, ZONE)
    expect(node.registry.saveZone(ALICE, ZONE, serial)).toEqual({ serial: 2 })
    expect(() => node.registry.saveZone(ALICE, ZONE, serial)).toThrow(code('SVC-ZON-004'))
    expect(() => node.registry.saveZone('new.chronym', ZONE, 1)).toThrow(code('SVC-ZON-004'))
  })

  it('can be published by the owner only, and only when there is one', async () => {
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow(code('SVC-OWN-001'))
    await registered()
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow(code('SVC-ZON-003'))
  })

  it('say how many peers hold them when those are too few (SVC-PUB-002)', async () => {
    await registered()
    node.registry.saveZone(ALICE, ZONE)
    for (const peer of bench.world.peers.slice(1)) peer.refuses = 'busy'
    await expect(node.registry.publishZone(ALICE)).rejects.toThrow(expect.objectContaining({ code: 'SVC-PUB-002', extensions: { stored_by: 1, of: 5 } }) as Error)
    expect(node.registry.ownedNames()).toMatchObject([{ serial: 2, published_serial: 1 }])
  })

  it('of others that do not parse are SVC-ZON-001', async () => {
    await registered()
    const key = profileHash(profile)
    const { name, drand_pulse, iterations, vdf_proof } = held()
    const broken = signReveal({ name, drand_pulse, iterations, vdf_proof, payload: Buffer.from('not a zone') }, nameKey(new Uint8Array(32).fill(1), key, ALICE as Name), key)
    for (const peer of bench.world.peers) peer.reveals.set(ALICE, { state: 'settled', reveal: broken })
    const other = await start({ self: 'peer-1', seed: 2 })
    await expect(other.registry.publicZone(ALICE)).rejects.toThrow(code('SVC-ZON-001'))
  })

  it('have no local view where none was saved', () => {
    expect(node.registry.localZone(ALICE)).toBeUndefined()
  })
})
