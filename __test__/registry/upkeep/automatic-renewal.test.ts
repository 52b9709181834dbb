import { beforeEach, describe, expect, it } from 'vitest'
import { parseName, renewalIterations } from '../../../src/protocol/name/names.ts'
import { parseProfile } from '../../../src/protocol/profile/profile.ts'
import { linksOf } from '../../../src/protocol/claim/reveal.ts'
import { ASSUMED_SHARE, AwakeTime } from '../../../src/registry/upkeep/awake-time.ts'
import type { RegistryEvent } from '../../../src/registry/use-cases.ts'
import { keys } from '../../../src/store/keys.ts'
import type { TaskView } from '../../../src/views/task.ts'
import { MemoryStore, until } from '../claims/fakes.ts'
import { profile } from '../test-profile.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, DAY, SECOND, useWorkbench } from '../workbench.ts'

const bench = useWorkbench()

let node: TestNode
let isOn: boolean
let events: RegistryEvent[]

async function start(network = profile, store = new MemoryStore()): Promise<void> {
  node = await bench.start({ profile: network, store, registry: { automaticRenewal: () => isOn } })
  node.registry.subscribe((event) => events.push(event))
  await bench.registered()
}

const ended = (taskId: string): Promise<TaskView> => bench.finish(node, taskId)
const renewals = () => node.tasks.list().filter(({ kind }) => kind === 'renew')
const owned = () => node.registry.ownedNames()[0]!
const told = () =>
  events
    .filter(({ type }) => type.startsWith('name:warning'))
    .map(({ type, detail }) => `${type} ${detail.warning ?? ''}`)
/** One look of the daemon, 30 s apart. */
const look = (): Promise<void> => bench.clock.advance(30 * SECOND)

beforeEach(() => {
  isOn = true
  events = []
})

describe('a name of this daemon', () => {
  it('is renewed by itself before its lease ends', async () => {
    await start()
    expect(owned()).toMatchObject({
      state: 'live',
      renewal: { state: 'scheduled', left: 64, task_id: null },
      warnings: []
    })
    bench.clock.set(bench.clock.now() + 6.5 * DAY)
    node.pool.instant = false
    await look()
    expect(owned().renewal).toMatchObject({ state: 'running', task_id: renewals()[0]!.task_id })
    await until(() => node.pool.evaluations.length === 2)
    node.pool.prove()
    await ended(renewals()[0]!.task_id)
    expect(renewals()[0]!.status).toBe('completed')
    expect(owned()).toMatchObject({
      state: 'live',
      lease_end: expect.stringMatching(/^2026-01-14T/),
      renewal: { state: 'scheduled', left: 63 },
      warnings: []
    })
    expect(linksOf(bench.world.peers[1]!.reveals.get(ALICE)!.reveal)).toHaveLength(2)
    expect(told()).toEqual([])
  })

  it.each([
    [24, 0.9],
    [8, 2.7],
    [2, 7]
  ])('is renewed as much earlier as the machine is awake less: %i hours a day', async (hours, days) => {
    const store = new MemoryStore()
    const awake = new AwakeTime(store, bench.clock, 3600 * SECOND)
    for (let hour = 0; hour < 28 * 24; hour++) {
      if (hour % 24 <= hours) awake.look()
      bench.clock.set(bench.clock.now() + 3600 * SECOND)
    }
    awake.save()
    await start(profile, store)
    // Awake for 0.3 of a day without a break it would be done, and has three times as long.
    node.pool.measureRate = () =>
      Promise.resolve(renewalIterations(parseName(ALICE, profile), profile) / (0.3 * 24 * 3600))
    await look()
    const { lease_end: end, renewal } = owned()
    expect((Date.parse(end) - Date.parse(renewal.due!)) / DAY).toBeCloseTo(days, 0)
    expect(renewals()).toHaveLength(days === 7 ? 1 : 0)
  })

  it('is renewed although the disk has no room for how long the machine was awake', async () => {
    await start()
    bench.clock.set(bench.clock.now() + 6.5 * DAY)
    node.store.onWrite = (operations) => {
      if (operations.some((each) => 'put' in each && each.put === keys.awake())) throw new Error('full')
    }
    await look()
    await ended(renewals()[0]!.task_id)
    expect(renewals()[0]!.status).toBe('completed')
  })

  it('is not renewed while auto_renew is off, warns in time, and is renewed once it is on', async () => {
    isOn = false
    await start()
    bench.clock.set(bench.clock.now() + 5 * DAY)
    await look()
    expect(owned()).toMatchObject({ renewal: { state: 'off' }, warnings: [] })
    bench.clock.set(bench.clock.now() + DAY)
    await look()
    expect(owned()).toMatchObject({ renewal: { state: 'off' }, warnings: [{ code: 'renewal-off' }] })
    await look()
    expect(told()).toEqual(['name:warning renewal-off'])
    bench.clock.set(bench.clock.now() + 0.5 * DAY)
    await look()
    expect(renewals()).toEqual([])
    isOn = true
    await look()
    await ended(renewals()[0]!.task_id)
    await look()
    expect(owned()).toMatchObject({ renewal: { state: 'scheduled' }, warnings: [] })
    expect(told()).toEqual(['name:warning renewal-off', 'name:warning-over renewal-off'])
  })

  it('is renewed before later ends, with warnings for those that come too late after it', async () => {
    await start()
    node.pool.instant = false
    const squarings = renewalIterations(parseName(ALICE, profile), profile)
    // Four and a half hours each, on a machine that is awake eight hours a day. The leases end two hours apart, in
    // another order than that of the names.
    node.pool.measureRate = () => Promise.resolve(squarings / (4.5 * 3600 * ASSUMED_SHARE))
    for (const name of ['zoe.chronym', 'bob.chronym']) {
      bench.clock.set(bench.clock.now() + 7200 * SECOND)
      node.pool.instant = true
      await bench.registered(node, name)
    }
    node.pool.instant = false
    bench.clock.set(bench.clock.now() + 6.5 * DAY)
    await look()
    await until(() => renewals().length === 3)
    await look()
    expect(renewals().map(({ name, queue_position: position }) => [name, position])).toEqual([
      [ALICE, null],
      ['zoe.chronym', 1],
      ['bob.chronym', 2]
    ])
    expect(node.registry.ownedNames().map(({ name, warnings }) => [name, warnings.map(({ code }) => code)])).toEqual([
      [ALICE, []],
      ['bob.chronym', ['renewal-late']],
      ['zoe.chronym', []]
    ])
    expect((await node.registry.estimate('zoe.chronym')).queued_seconds, 'behind the first alone').toBeLessThan(
      (await node.registry.estimate('bob.chronym')).queued_seconds
    )
  })

  it('is renewed so much earlier that others whose leases end with it have their time too', async () => {
    await start()
    await bench.registered(node, 'bob.chronym')
    // A day each, on a machine that is awake a third of the time. Alone it would begin nine days before the end; the
    // lease has seven.
    node.pool.measureRate = () => Promise.resolve(renewalIterations(parseName(ALICE, profile), profile) / (3600 * 4))
    await look()
    const due = node.registry
      .ownedNames()
      .map(({ lease_end: end, renewal }) => (Date.parse(end) - Date.parse(renewal.due!)) / DAY)
    expect(due.toSorted((left, right) => left - right).map((days) => Math.round(days * 10) / 10)).toEqual([1.5, 3])
  })

  it('whose renewal failed is warned of, and renewed again an hour later, not at every look', async () => {
    await start()
    bench.clock.set(bench.clock.now() + 6.5 * DAY)
    node.pool.breakProofs = true
    await bench.clock.advance(40 * SECOND)
    await until(() => renewals()[0]!.status === 'failed')
    await bench.clock.advance(120 * SECOND)
    expect(renewals()).toHaveLength(1)
    expect(owned()).toMatchObject({
      renewal: { state: 'failed' },
      warnings: [{ code: 'renewal-failed', message: expect.stringContaining('SVC-PUB-001') }]
    })
    expect(told()).toEqual(['name:warning renewal-failed'])
    node.pool.breakProofs = false
    bench.clock.set(bench.clock.now() + 3600 * SECOND)
    await bench.clock.advance(40 * SECOND)
    await until(() => node.tasks.list().at(-1)!.status === 'completed')
    await look()
    expect(owned()).toMatchObject({ state: 'live', lease_end: expect.stringMatching(/^2026-01-14T/), warnings: [] })
    expect(told()).toEqual(['name:warning renewal-failed', 'name:warning-over renewal-failed'])
  })

  it('with a short lease is tried again sooner after a failure: a tenth of the lead', async () => {
    await start(parseProfile({ ...profile, lease: 3600, grace: 600 }))
    bench.clock.set(bench.clock.now() + 3300 * SECOND)
    node.pool.breakProofs = true
    await look()
    await until(() => renewals()[0]?.status === 'failed')
    node.pool.breakProofs = false
    await bench.clock.advance(60 * SECOND)
    await until(() => renewals().at(-1)!.status === 'completed')
    expect(owned().state).toBe('live')
  })

  it('whose renewal cannot be started says why', async () => {
    await start()
    node.beacon.silent = true
    bench.clock.set(bench.clock.now() + 6.5 * DAY)
    await bench.clock.advance(60 * SECOND)
    expect(owned()).toMatchObject({
      renewal: { state: 'failed' },
      warnings: [
        { code: 'renewal-failed', message: expect.stringMatching(/could not be started \(The newest verified pulse/) }
      ]
    })
    expect(renewals()).toEqual([])
  })

  it('costs a measurement of this machine once an hour at most', async () => {
    await start()
    let measured = 0
    node.pool.measureRate = () => Promise.resolve(++measured * 1_000_000)
    await bench.clock.advance(3500 * SECOND)
    const once = measured
    expect(once).toBeGreaterThan(0)
    await bench.clock.advance(200 * SECOND)
    expect(measured).toBe(2 * once)
  })
})
