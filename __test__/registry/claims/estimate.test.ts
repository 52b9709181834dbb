import { beforeEach, describe, expect, it } from 'vitest'
import { until } from './fakes.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, code, DAY, SECOND, useWorkbench } from '../workbench.ts'

const bench = useWorkbench()
const { start, registered } = bench

let node: TestNode

beforeEach(async () => {
  node = await start()
})

describe('estimates and status', () => {
  it('say how long a name takes here and when its lease runs', async () => {
    const estimate = await node.registry.estimate(ALICE)
    expect(estimate).toMatchObject({
      iterations: 1_000_000,
      lease_start: '2026-01-01T00:00:02.000Z',
      lease_end: '2026-01-08T00:00:02.000Z'
    })
    expect(estimate.seconds).toBeGreaterThanOrEqual(3)
    expect(estimate).toMatchObject({ gain_seconds: null, left: null })
    await registered()
    expect(await node.registry.estimate(ALICE)).toMatchObject({ iterations: 250_000 })
    await expect(node.registry.estimate('nope')).rejects.toThrow(code('SVC-NAM-001'))
  })

  it('say how much a renewal gains, and how many are left', async () => {
    await registered()
    const soon = await node.registry.estimate(ALICE)
    expect(soon).toMatchObject({ kind: 'renew', left: 64 })
    expect(soon.gain_seconds).toBeLessThan(60)
    expect(node.registry.renewalGain(ALICE)).toMatchObject({ left: 64 })
    bench.clock.set(bench.clock.now() + 5 * DAY)
    expect((await node.registry.estimate(ALICE)).gain_seconds).toBeGreaterThan(4.9 * 24 * 60 * 60)
    expect(node.registry.renewalGain('bob.chronym')).toEqual({ gain_seconds: null, left: null })
  })

  it('say what each renewal will take, and how many there may be', async () => {
    expect(await node.registry.estimate(ALICE)).toMatchObject({ renewal_iterations: 250_000, renewals: 64 })
  })

  it('count the tasks that go before, and shift the lease with them', async () => {
    node.pool.instant = false
    const free = await node.registry.estimate(ALICE)
    expect(free).toMatchObject({
      kind: 'register',
      queued_seconds: 0,
      iterations_per_second: 1_000_000,
      proving_seconds: 1
    })
    await node.registry.register('bob.chronym', {})
    const behind = await node.registry.estimate(ALICE)
    expect(behind.queued_seconds).toBe(2)
    expect(behind.seconds).toBeGreaterThan(free.seconds)
    expect(Date.parse(behind.lease_start) - Date.parse(free.lease_start)).toBeGreaterThanOrEqual(2_000)
  })

  it('measure in slices, between which others have their turn', async () => {
    const asked: number[] = []
    node.pool.measureRate = (...[, milliseconds]: number[]) => Promise.resolve(asked.push(milliseconds!) * 1_000_000)
    expect((await node.registry.estimate(ALICE)).iterations_per_second).toBe(2_500_000)
    expect(asked).toEqual([100, 100, 100, 100])
  })

  it('count no wait where a farm has room beside the slots of this machine', async () => {
    const registrar = await start({ self: 'peer-2', seed: 3, registry: { farmRoom: () => 1 } })
    registrar.pool.instant = false
    await registrar.registry.register('bob.chronym', {})
    expect(await registrar.registry.estimate(ALICE)).toMatchObject({ queued_seconds: 0 })
    await registrar.registry.register('carol.chronym', {})
    expect((await registrar.registry.estimate(ALICE)).queued_seconds).toBeGreaterThan(0)
  })

  it('count nothing where a finished proof is kept: it is taken up, with the lease of then', async () => {
    node.network.before = (kind) => {
      for (const peer of bench.world.peers) peer.refuses = kind === 'commit' ? undefined : 'busy'
    }
    const { task_id } = await node.registry.register(ALICE, {})
    await bench.clock.advance(3 * SECOND)
    await until(() => node.tasks.get(task_id)!.stalled?.code === 'SVC-PUB-002')
    await node.tasks.remove(task_id)
    await bench.clock.advance(60 * SECOND)
    expect(await node.registry.estimate(ALICE)).toMatchObject({
      proof_kept: true,
      seconds: 0,
      queued_seconds: 0,
      proving_seconds: 0,
      lease_start: '2026-01-01T00:00:02.000Z',
      lease_end: '2026-01-08T00:00:02.000Z'
    })
    expect(await node.registry.estimate('bob.chronym')).toMatchObject({
      proof_kept: false,
      lease_start: expect.stringMatching(/T00:01/)
    })
    bench.clock.set(bench.clock.now() + 8 * DAY)
    expect(await node.registry.estimate(ALICE), 'once that lease has ended').toMatchObject({ proof_kept: false })
  })

  it('say what network and beacon are doing', async () => {
    expect(node.registry.networkStatus()).toEqual({
      status: 'online',
      peers: 4,
      mode: 'full',
      auto: null,
      peer_id: 'peer-0',
      connecting: null,
      addresses: [],
      network: 'local',
      size: 5,
      records: 0,
      alone: false,
      beacon: { round: expect.any(Number), age_seconds: 0, message: null },
      diversity: null
    })
    await node.registry.setMode('offline')
    expect(node.registry.networkStatus()).toMatchObject({ status: 'offline', mode: 'offline', size: null, alone: true })
  })
})
