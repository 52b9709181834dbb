import { describe, expect, it } from 'vitest'
import type { Name } from '../../../src/protocol/name/names.ts'
import { claimOf } from '../../../src/protocol/claim/claim.ts'
import { roundTimeMs } from '../../../src/protocol/time.ts'
import { Pins } from '../../../src/registry/stored/pins.ts'
import { until } from '../claims/fakes.ts'
import { settle } from '../../time/manual-clock.ts'
import { profile } from '../test-profile.ts'
import { asker, bench, owner, registered, rival } from '../scene.ts'
import { ALICE, code, publish, SECOND, withZone, ZONE } from '../workbench.ts'

/** What is stored here is newer than what was known. */
const tellOfNewer = (): void =>
  asker.network.emit({ type: 'record:stored', detail: { kind: 'reveal', id: ALICE, state: 'settled' } })

/** How often the network was asked for the name. */
const asked = (): number => asker.network.sent.filter((message) => message === `get ${ALICE}`).length

describe('a name that is being registered here', () => {
  it('[looking a name up announces it] is not resolved by asking for it, unless most peers hold it', async () => {
    owner.pool.instant = false
    const { task_id } = await owner.registry.register(ALICE, {})
    await bench.clock.advance(4 * SECOND)
    await until(() => owner.tasks.get(task_id)!.phase === 'evaluate')
    await expect(owner.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-002'))
    await expect(owner.registry.publicZone(ALICE)).rejects.toThrow(code('SVC-RES-002'))
    // With a code, the same as for a name that nobody has: it does not tell what is registered here.
    await expect(owner.registry.resolve('alice--7kq2mx.chronym')).rejects.toThrow(code('SVC-RES-006'))
    await expect(owner.registry.resolve('bobby--7kq2mx.chronym')).rejects.toThrow(code('SVC-RES-006'))
    expect(owner.network.sent.filter((message) => !/^(probe|commit) |bobby/.test(message))).toEqual([])

    const theirs = await rival()
    for (const peer of bench.world.peers.slice(0, 4)) peer.reveals.set(ALICE, { state: 'settled', reveal: theirs })
    bench.clock.set(bench.clock.now() + 31 * SECOND)
    expect((await owner.registry.resolve(ALICE)).reveal).toEqual(theirs)
  })
})

describe('resolving', () => {
  it('of an invalid name is SVC-NAM-001, of a reserved one SVC-RES-002 without asking', async () => {
    await expect(asker.registry.resolve('al_ice.chronym')).rejects.toThrow(code('SVC-NAM-001'))
    await expect(asker.registry.resolve('www.chronym')).rejects.toThrow(code('SVC-RES-002'))
    expect(asker.network.sent).toEqual([])
  })

  it('of an unregistered name is SVC-RES-002, kept for thirty seconds', async () => {
    await expect(asker.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-002'))
    expect(asker.registry.kept(ALICE)).toBeUndefined()
    await bench.clock.advance(29 * SECOND)
    await expect(asker.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-002'))
    expect(asked()).toBe(1)
    await bench.clock.advance(2 * SECOND)
    await expect(asker.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-002'))
    expect(asked()).toBe(2)
  })

  it('of a name that one peer denies while the others are silent says that it is thin, and is kept for five seconds', async () => {
    await expect(asker.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-002', { extensions: {} }))
    for (const peer of bench.world.peers.slice(1)) peer.silent = 'no-answer'
    await expect(asker.registry.resolve('bob.chronym')).rejects.toThrow(
      code('SVC-RES-002', { extensions: { thin: true } })
    )
    for (const peer of bench.world.peers) peer.silent = undefined
    await bench.clock.advance(4 * SECOND)
    await expect(asker.registry.resolve('bob.chronym')).rejects.toThrow(
      code('SVC-RES-002', { extensions: { thin: true } })
    )
    await bench.clock.advance(2 * SECOND)
    await expect(asker.registry.resolve('bob.chronym')).rejects.toThrow(code('SVC-RES-002', { extensions: {} }))
  })

  it('without anybody to ask is SVC-RES-001 with a time to try again, and is not kept', async () => {
    for (const peer of bench.world.peers) peer.away = true
    await expect(asker.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-001', { retryAfter: 10 }))
    for (const peer of bench.world.peers) peer.away = false
    await registered(owner)
    expect((await asker.registry.resolve(ALICE)).reveal.name).toBe(ALICE)
  })

  it('is asked again while peers are connected and none answers, as on a line that stalls; at last it is SVC-RES-001', async () => {
    await registered(owner)
    for (const peer of bench.world.peers) peer.silent = 'no-answer'
    const outcome = async (): Promise<unknown> => {
      let known: unknown
      void asker.registry.resolve(ALICE).then(
        ({ reveal }) => (known = reveal.name),
        (error: unknown) => (known = error)
      )
      for (let second = 0; second < 60 && known === undefined; second++) await bench.clock.advance(SECOND)
      return known
    }
    expect(await outcome()).toMatchObject({ code: 'SVC-RES-001', retryAfter: 10 })
    const inVain = asked()
    expect(inVain).toBeGreaterThan(2)
    const resolving = outcome()
    await until(() => asked() > inVain)
    for (const peer of bench.world.peers) peer.silent = undefined
    expect(await resolving).toBe(ALICE)
  })

  it('in mode offline is SVC-RES-001, whatever was known before', async () => {
    await registered(owner)
    await asker.registry.resolve(ALICE)
    await asker.registry.setMode('offline')
    await expect(asker.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-001'))
    await asker.registry.setMode('light')
    expect((await asker.registry.resolve(ALICE)).reveal.name).toBe(ALICE)
  })

  it('keeps no answer from before the clock was set back', async () => {
    await registered(owner)
    await asker.registry.resolve(ALICE)
    bench.holdEverywhere(undefined)
    bench.clock.set(bench.clock.now() - 5 * 3600 * SECOND)
    await expect(asker.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-002'))
  })

  it('keeps an answer for the shortest ttl, then gives it out while it asks again', async () => {
    const reveal = await registered(owner)
    const [short, long] = [
      { type: 'A' as const, value: '192.0.2.1', ttl: 60 },
      { type: 'TXT' as const, value: '"x"', ttl: 600 }
    ]
    const first = withZone(reveal, 2, { records: { '@': [short, long] } })
    bench.holdEverywhere(first)
    await asker.registry.resolve(ALICE)
    const askedAtMs = bench.clock.now()
    bench.holdEverywhere(withZone(reveal, 3))
    await bench.clock.advance(59 * SECOND)
    expect((await asker.registry.resolve(ALICE)).askedAtMs).toBeUndefined()
    expect((await asker.registry.publicZone(ALICE)).zone.serial).toBe(2)
    expect(asked()).toBe(1)
    expect(asker.registry.kept(ALICE)?.reveal).toEqual(first)
    await bench.clock.advance(2 * SECOND)
    expect(asker.registry.kept(ALICE)).toBeUndefined()
    expect(await asker.registry.resolve(ALICE)).toMatchObject({ reveal: first, confidence: 'settled', askedAtMs })
    await until(() => asked() === 2)
    await settle()
    expect((await asker.registry.publicZone(ALICE)).zone.serial).toBe(3)
  })

  it('keeps answers that are thin or provisional for a minute, and does not give them out afterwards', async () => {
    const reveal = await registered(owner)
    bench.holdEverywhere(reveal, 'provisional')
    expect((await asker.registry.resolve(ALICE)).confidence).toBe('provisional')
    await bench.clock.advance(61 * SECOND)
    for (const peer of bench.world.peers.slice(1)) peer.reveals.delete(ALICE)
    bench.world.peers[0]!.reveals.set(ALICE, { state: 'settled', reveal })
    expect((await asker.registry.resolve(ALICE)).confidence).toBe('thin')
    expect(asked()).toBe(2)
  })

  it('asks once for many that ask at the same time, and lets each go its own way', async () => {
    await registered(owner)
    const gate = Promise.withResolvers<undefined>()
    asker.network.before = () => gate.promise
    const abort = new AbortController()
    const patient = asker.registry.resolve(ALICE)
    const impatient = asker.registry.resolve(ALICE, abort.signal)
    abort.abort(new Error('gone'))
    await expect(impatient).rejects.toThrow('gone')
    gate.resolve(undefined)
    expect((await patient).reveal.name).toBe(ALICE)
    expect(asked()).toBe(1)
  })

  it('forgets what it knew when a newer record is stored here', async () => {
    const reveal = await registered(owner)
    await asker.registry.resolve(ALICE)
    bench.holdEverywhere(withZone(reveal, 7))
    tellOfNewer()
    expect((await asker.registry.publicZone(ALICE)).zone.serial).toBe(7)
  })
})

describe('a copy of what is kept', () => {
  const HOUR = 3600 * SECOND

  it('has the times that are left of the kept answer', async () => {
    await registered(owner)
    const first = await asker.registry.lookUp(ALICE)
    expect(first).toMatchObject({ resolved: { reveal: { name: ALICE } }, isPinFirm: false })
    // A zone without records is kept for the default TTL. The lease of a local name ends before a day has passed.
    expect(first.freshMs).toBe(300 * SECOND)
    await bench.clock.advance(100 * SECOND)
    const second = await asker.registry.lookUp(ALICE)
    expect(second).toMatchObject({ freshMs: first.freshMs - 100 * SECOND, staleMs: first.staleMs - 100 * SECOND })
    expect(second.staleMs).toBeLessThanOrEqual(24 * HOUR)
    expect(asked()).toBe(1)
  })

  it('is never a stale one: it waits for a new one', async () => {
    await registered(owner)
    await asker.registry.lookUp(ALICE)
    await bench.clock.advance(301 * SECOND)
    expect((await asker.registry.lookUp(ALICE)).freshMs).toBe(300 * SECOND)
    expect(asked()).toBe(2)
  })

  it('is renewed ahead of its time for who asks for that', async () => {
    await registered(owner)
    await asker.registry.lookUp(ALICE)
    await bench.clock.advance(230 * SECOND)
    expect((await asker.registry.lookUp(ALICE, { leastLeft: 0.2 })).freshMs).toBe(70 * SECOND)
    await bench.clock.advance(20 * SECOND)
    expect((await asker.registry.lookUp(ALICE, { leastLeft: 0.2 })).freshMs).toBe(300 * SECOND)
    expect(asked()).toBe(2)
  })

  it('says whether the pin of the owner is firm', async () => {
    const reveal = await registered(owner)
    const round = reveal.drand_pulse
    expect(await asker.registry.lookUp(ALICE)).toMatchObject({ isPinFirm: false })
    new Pins(asker.dependencies.store, profile).set(ALICE, {
      state: 'firm',
      claim: claimOf(reveal, ALICE as Name, profile).id,
      pubkey: reveal.pubkey,
      code: '7kq2mx',
      newestRound: round,
      firstRound: round,
      firmRound: round
    })
    expect(await asker.registry.lookUp(ALICE)).toMatchObject({ isPinFirm: true })
  })

  it('never outlives the lease', async () => {
    const reveal = await registered(owner)
    const lastMs = roundTimeMs(reveal.drand_pulse + profile.lease, profile.beacon)
    bench.clock.set(lastMs - 10 * SECOND)
    expect(await asker.registry.lookUp(ALICE)).toMatchObject({ freshMs: 10 * SECOND, staleMs: 10 * SECOND })
    bench.clock.set(lastMs + 10 * SECOND)
    expect(await asker.registry.lookUp(ALICE)).toMatchObject({ failure: { code: 'SVC-RES-003' } })
  })

  it('of a name that nobody holds says so for thirty seconds', async () => {
    expect(await asker.registry.lookUp(ALICE)).toMatchObject({
      failure: { code: 'SVC-RES-002' },
      freshMs: 30 * SECOND,
      staleMs: 30 * SECOND
    })
    await expect(asker.registry.lookUp('www.chronym')).rejects.toThrow(code('SVC-RES-002'))
    await expect(asker.registry.lookUp('al_ice.chronym')).rejects.toThrow(code('SVC-NAM-001'))
  })

  it('ends for who asked, when that one goes', async () => {
    const abort = new AbortController()
    asker.network.before = () => new Promise(() => undefined)
    const asking = asker.registry.lookUp(ALICE, { signal: abort.signal })
    abort.abort(new Error('gone'))
    await expect(asking).rejects.toThrow('gone')
  })

  it('is called back when the answer no longer holds', async () => {
    await registered(owner)
    const forgotten: (string | undefined)[] = []
    const end = asker.registry.onForgotten((name) => forgotten.push(name))
    tellOfNewer()
    await asker.registry.setMode('light')
    asker.registry.forget(ALICE)
    asker.registry.forget()
    expect(forgotten).toEqual([ALICE, undefined, ALICE, undefined])
    end()
    asker.registry.forget()
    expect(forgotten).toHaveLength(4)
  })

  it('is called back when a zone was published from here', async () => {
    await registered(owner)
    const forgotten: (string | undefined)[] = []
    owner.registry.onForgotten((name) => forgotten.push(name))
    await publish(owner, ZONE)
    expect(forgotten).toContain(ALICE)
  })
})

describe('peers that disagree', () => {
  it('are outvoted by a majority, whose newest record counts from any peer', async () => {
    const reveal = await registered(owner)
    const newer = withZone(reveal, 9)
    bench.world.peers[3]!.reveals.set(ALICE, { state: 'settled', reveal: newer })
    bench.world.peers[4]!.reveals.set(ALICE, { state: 'settled', reveal: await rival() })
    expect((await asker.registry.publicZone(ALICE)).zone.serial).toBe(9)
  })
})
