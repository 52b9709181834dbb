/** How pins are kept, looked at again and shown. */
import { beforeEach, describe, expect, it } from 'vitest'
import { PinListSchema } from '../../../src/views/pin.ts'
import { Pins, type StoredPin } from '../../../src/registry/stored/pins.ts'
import { keys, prefixes } from '../../../src/store/keys.ts'
import * as v from 'valibot'
import { MemoryStore } from '../claims/fakes.ts'
import { settle } from '../../time/manual-clock.ts'
import { profile } from '../test-profile.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, code, SECOND, useWorkbench } from '../workbench.ts'

const KEY = new Uint8Array(32).fill(7)
const SPAN_MS = profile.pin_after * profile.beacon.period * SECOND

const SEEN = { claim: KEY, pubkey: KEY }
const CODE = '7kq2mx4q8r7kq2mx4q8r7kq2mx'
const tentative = (firstRound: number): StoredPin & { state: 'tentative' } => ({
  state: 'tentative',
  ...SEEN,
  code: CODE,
  newestRound: 5,
  firstRound,
  lookRound: firstRound + profile.pin_after
})
const firm = (newestRound: number): StoredPin & { state: 'firm' } => ({
  state: 'firm',
  ...SEEN,
  code: CODE,
  newestRound,
  firstRound: 6,
  firmRound: 7
})

describe('pins', () => {
  let store: MemoryStore
  const marks = (): string[] => [...store.keys(prefixes.pinLooks), ...store.keys(prefixes.pinEnds)]
  const names = (pins: Pins): string[] => [...pins.list()].map(([name]) => name)

  beforeEach(() => {
    store = new MemoryStore()
  })

  it('are kept with the mark of what comes next, and only changes are written', () => {
    const pins = new Pins(store, profile)
    pins.set(ALICE, tentative(100))
    expect(pins.get(ALICE)).toEqual(tentative(100))
    expect(marks()).toEqual([keys.pinLook(100 + profile.pin_after, ALICE)])
    store.onWrite = () => expect.unreachable('nothing has changed')
    pins.set(ALICE, { ...tentative(100) })
    pins.set('none.chronym', undefined)
    store.onWrite = () => undefined
    pins.set(ALICE, { ...tentative(200), rival: SEEN })
    expect(pins.get(ALICE)).toEqual({ ...tentative(200), rival: SEEN })
    pins.set(ALICE, firm(5))
    expect(marks()).toEqual([keys.pinEnd(5 + profile.lease + profile.grace, ALICE)])
    pins.set(ALICE, undefined)
    expect([...store.keys('')]).toEqual([])
  })

  it('are bounded: tentative ones give way first, the earliest due first, then the firm one that ends first', () => {
    const pins = new Pins(store, profile, 3)
    pins.set('a.chronym', firm(50))
    pins.set('b.chronym', tentative(300))
    pins.set('c.chronym', tentative(200))
    pins.set('d.chronym', tentative(400))
    expect(names(pins)).toEqual(['a.chronym', 'b.chronym', 'd.chronym'])
    pins.set('b.chronym', firm(40))
    pins.set('d.chronym', firm(60))
    pins.set('e.chronym', tentative(500))
    expect(names(pins)).toEqual(['a.chronym', 'd.chronym', 'e.chronym'])
    expect(marks()).toHaveLength(3)
  })

  it('are due in order; those that are over go, and so do marks of what is gone', () => {
    const pins = new Pins(store, profile)
    pins.set('a.chronym', tentative(100))
    pins.set('b.chronym', tentative(90))
    pins.set('c.chronym', tentative(80))
    store.delete(keys.pin('c.chronym'))
    const isLive = ({ firstRound }: { firstRound: number }): boolean => firstRound !== 90
    expect(pins.due({ lapse: 99 + profile.pin_after }, isLive)).toBeUndefined()
    expect(pins.due({ lapse: 100 + profile.pin_after }, isLive)).toBe('a.chronym')
    expect(names(pins)).toEqual(['a.chronym'])
    expect(marks()).toHaveLength(1)
  })

  it('that are firm go when the lease is dead', () => {
    const pins = new Pins(store, profile)
    pins.set('a.chronym', firm(10))
    pins.set('b.chronym', firm(11))
    pins.sweep({ lapse: 10 + profile.lease + profile.grace })
    expect(names(pins)).toEqual(['a.chronym', 'b.chronym'])
    pins.sweep({ lapse: 11 + profile.lease + profile.grace })
    expect(names(pins)).toEqual(['b.chronym'])
    expect(marks()).toHaveLength(1)
  })
})

describe('the second look', () => {
  const bench = useWorkbench()
  let asker: TestNode

  const pass = async (milliseconds: number): Promise<void> => {
    for (let left = milliseconds; left > 0; left -= 30 * SECOND) {
      await bench.clock.advance(30 * SECOND)
      await settle()
    }
  }
  const states = (): string[] => asker.registry.pins().map(({ state }) => state)

  beforeEach(async () => {
    await bench.start({ registry: { automaticRenewal: () => false } })
    await bench.registered()
    asker = await bench.start({ seed: 2, self: undefined })
    await asker.registry.resolve(ALICE)
  })

  it('is repeated after one that failed or that saw no majority, until two days are over', async () => {
    for (const peer of bench.world.peers) peer.silent = 'no-answer'
    await pass(1.5 * SPAN_MS)
    const looks = asker.network.breadths.filter((breadth) => breadth === 'everybody').length
    expect(looks).toBeGreaterThan(5)
    expect(looks).toBeLessThan(15)
    for (const peer of bench.world.peers) peer.silent = undefined
    await pass(SPAN_MS / 10)
    expect(states()).toEqual(['firm'])
  })

  it('of one name that fails again and again holds up no other', async () => {
    await bench.registered(undefined, 'bob.chronym')
    await asker.registry.resolve('bob.chronym')
    asker.network.before = (_kind, name) => {
      if (name === ALICE) throw new Error('nobody can be asked for this one')
    }
    await pass(1.2 * SPAN_MS)
    expect(asker.registry.pins().map(({ name, state }) => [name, state])).toEqual([
      [ALICE, 'tentative'],
      ['bob.chronym', 'firm']
    ])
  })

  it('is left to the next majority once the pin is forgotten, and nothing is answered from before', async () => {
    const { length } = asker.network.sent
    await asker.registry.resolve(ALICE)
    expect(asker.network.sent).toHaveLength(length)
    asker.registry.forgetPin(ALICE)
    expect(states()).toEqual([])
    await asker.registry.resolve(ALICE)
    expect(asker.network.sent).toHaveLength(length + 1)
    expect(states()).toEqual(['tentative'])
  })

  it('that never comes leaves nothing behind', async () => {
    for (const peer of bench.world.peers) peer.away = true
    await pass(2 * SPAN_MS + 60 * SECOND)
    expect(states()).toEqual([])
    await pass(SPAN_MS / 10)
    expect([...asker.store.keys(prefixes.pins), ...asker.store.keys(prefixes.pinLooks)]).toEqual([])
  })

  it('is not made while the daemon is offline', async () => {
    await asker.registry.setMode('offline')
    const { length } = asker.network.sent
    await pass(1.2 * SPAN_MS)
    expect(asker.network.sent).toHaveLength(length)
    await asker.registry.setMode('light')
    await pass(60 * SECOND)
    expect(states()).toEqual(['firm'])
  })

  it('shows in the list of pins', async () => {
    const [first] = asker.registry.pins()
    expect(v.parse(PinListSchema, [first])).toEqual([first])
    expect(first).toMatchObject({
      name: ALICE,
      state: 'tentative',
      firm_since: null,
      rival: null,
      contested_until: null
    })
    expect(Date.parse(first!.second_look!) - Date.parse(first!.since!)).toBe(SPAN_MS)
    expect(Date.parse(first!.until!) - Date.parse(first!.since!)).toBe(2 * SPAN_MS)
    await pass(SPAN_MS + 60 * SECOND)
    const [later] = asker.registry.pins()
    expect(v.parse(PinListSchema, [later])).toEqual([later])
    expect(later).toMatchObject({
      state: 'firm',
      since: first!.since,
      second_look: null,
      until: (await asker.registry.explain(ALICE)).lease!.grace_end
    })
    expect(asker.registry.pins(ALICE)).toEqual([])
    expect(() => asker.registry.pins('no name')).toThrow(code('SVC-NAM-001'))
    expect(() => asker.registry.forgetPin('no name')).toThrow(code('SVC-NAM-001'))
    expect(() => asker.registry.forgetPin('bob.chronym')).toThrow(code('SVC-PIN-001'))
  })
})
