import { beforeEach, describe, expect, it } from 'vitest'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import { parseZonePayload, type Zone } from '../../../src/protocol/zone/zone.ts'
import { until } from '../claims/fakes.ts'
import { profile } from '../test-profile.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, publish, SECOND, useWorkbench } from '../workbench.ts'

const zoneOf = (address: string): Zone => ({ records: { '@': [{ type: 'A', value: address }] } })
const FIRST = zoneOf('192.0.2.1')
const SECOND_ZONE = zoneOf('192.0.2.2')

const bench = useWorkbench()

let node: TestNode

async function completed(taskId: string): Promise<void> {
  expect(await bench.finish(node, taskId)).toMatchObject({ status: 'completed', error: null })
}

async function registeredWithFirst(): Promise<void> {
  await completed((await node.registry.register(ALICE, { zone: FIRST })).task_id)
  await bench.clock.advance(SECOND)
}

/** Registered with the first zone, and a renewal at the point of being sent, which these peers alone take. */
async function renewalTakenBy(...takers: number[]): Promise<string> {
  await registeredWithFirst()
  bench.world.peers.forEach((peer, index) => (peer.refuses = takers.includes(index) ? undefined : 'busy'))
  const { task_id } = await node.registry.renew(ALICE, {})
  await until(() => node.tasks.get(task_id)!.phase === 'reveal')
  await until(() => node.tasks.get(task_id)!.stalled?.code === 'SVC-PUB-002')
  bench.refuseEverywhere(undefined)
  return task_id
}

const heldBy = (index: number): Reveal => bench.world.peers[index]!.reveals.get(ALICE)!.reveal
const zoneHeldBy = (index: number): Zone => parseZonePayload(heldBy(index).payload, profile)
const expectEverywhere = (zone: object) =>
  expect(bench.world.peers.map((_, index) => zoneHeldBy(index))).toEqual(bench.world.peers.map(() => zone))

beforeEach(async () => {
  node = await bench.start()
})

describe('of two requests at once, each with a zone', () => {
  it.each(['register', 'renew'] as const)(
    'to %s a name, the zone of the one that is refused goes nowhere',
    async (kind) => {
      if (kind === 'renew') await completed((await node.registry.register(ALICE, {})).task_id)
      const [first, second] = await Promise.allSettled([
        node.registry[kind](ALICE, { zone: FIRST }),
        node.registry[kind](ALICE, { zone: SECOND_ZONE })
      ])
      if (first.status === 'rejected') throw first.reason
      expect(second).toMatchObject({ status: 'rejected', reason: { code: 'SVC-REG-002' } })
      expect(node.registry.localZone(ALICE)?.zone).toMatchObject(FIRST)
      await completed(first.value.task_id)
      expectEverywhere({ serial: expect.any(Number), ...FIRST })
    }
  )
})

describe('a zone that is published while the reveal of a renewal waits for peers', () => {
  it.each([[[]], [[1, 2]]])(
    'is not overwritten by the older one when the renewal goes out (taken before by %j)',
    async (takers) => {
      const taskId = await renewalTakenBy(...takers)
      const before = node.registry.ownedNames()[0]!.lease_end
      await publish(node, SECOND_ZONE)
      await completed(taskId)
      expectEverywhere({ serial: 2, ...SECOND_ZONE })
      expect(node.registry.ownedNames()).toMatchObject([{ serial: 2, published_serial: 2 }])
      expect(node.registry.ownedNames()[0]!.lease_end > before).toBe(true)
      expect(heldBy(3).drand_pulse).toBe(heldBy(1).drand_pulse)
    }
  )

  it('nor while it is being sent: it goes out again, on the newer link', async () => {
    const taskId = await renewalTakenBy()
    const { sending, release } = node.network.holdBack('reveal', { once: true })
    await bench.clock.advance(2 * SECOND)
    await sending
    await publish(node, SECOND_ZONE)
    const older = heldBy(1).drand_pulse
    release()
    await completed(taskId)
    expectEverywhere({ serial: 2, ...SECOND_ZONE })
    expect(heldBy(1).drand_pulse).toBeGreaterThan(older)
  })

  it('and whose own sending ends after the renewal does not take the newer link back', async () => {
    const taskId = await renewalTakenBy()
    const { release } = node.network.holdBack('reveal', { once: true })
    node.registry.saveZone(ALICE, SECOND_ZONE)
    const publishing = node.registry.publishZone(ALICE)
    await completed(taskId)
    const renewed = node.registry.ownedNames()[0]!.lease_end
    release()
    await publishing
    expect(node.registry.ownedNames()).toMatchObject([{ lease_end: renewed, serial: 2, published_serial: 2 }])
    expect(zoneHeldBy(1)).toEqual({ serial: 2, ...SECOND_ZONE })
  })
})

describe('a renewal', () => {
  it('leaves a draft that nobody has published where it is', async () => {
    const taskId = await renewalTakenBy()
    node.registry.saveZone(ALICE, SECOND_ZONE)
    await completed(taskId)
    expect(zoneHeldBy(1)).toEqual({ serial: 1, ...FIRST })
    expect(node.registry.ownedNames()).toMatchObject([{ serial: 2, published_serial: 1 }])
  })

  it('carries the zone that is given with it, once', async () => {
    await registeredWithFirst()
    await completed((await node.registry.renew(ALICE, { zone: SECOND_ZONE })).task_id)
    expectEverywhere({ serial: 2, ...SECOND_ZONE })
    node.registry.saveZone(ALICE, FIRST)
    await bench.clock.advance(SECOND)
    await completed((await node.registry.renew(ALICE, {})).task_id)
    expect(zoneHeldBy(1)).toEqual({ serial: 2, ...SECOND_ZONE })
  })

  it('that is cancelled leaves the zone given with it as a draft', async () => {
    await registeredWithFirst()
    node.pool.instant = false
    const { task_id } = await node.registry.renew(ALICE, { zone: SECOND_ZONE })
    await node.tasks.remove(task_id)
    node.pool.instant = true
    await bench.clock.advance(SECOND)
    await completed((await node.registry.renew(ALICE, {})).task_id)
    expect(zoneHeldBy(1)).toEqual({ serial: 1, ...FIRST })
    expect(node.registry.localZone(ALICE)?.zone).toEqual({ serial: 2, ...SECOND_ZONE })
  })
})

describe('a draft that is discarded after a renewal has sent it to a few peers', () => {
  it('goes out all the same: those who hold it refuse what is older', async () => {
    await registeredWithFirst()
    bench.world.peers.forEach((peer, index) => (peer.refuses = index === 1 ? undefined : 'busy'))
    const { task_id } = await node.registry.renew(ALICE, { zone: SECOND_ZONE })
    await until(() => node.tasks.get(task_id)!.stalled?.code === 'SVC-PUB-002')
    node.registry.discardZone(ALICE)
    bench.refuseEverywhere(undefined)
    await completed(task_id)
    expectEverywhere({ serial: 2, ...SECOND_ZONE })
    expect(node.registry.drafts()).toEqual([])
  })
})

describe('a registration whose reveal waits for peers', () => {
  it('goes out with the zone that was saved meanwhile, under a serial above the one that was sent', async () => {
    node.network.before = (kind) => {
      for (const peer of bench.world.peers.slice(1)) peer.refuses = kind === 'reveal' ? 'busy' : undefined
    }
    const { task_id } = await node.registry.register(ALICE, {})
    await bench.clock.advance(3 * SECOND)
    await until(() => node.tasks.get(task_id)!.stalled?.code === 'SVC-PUB-002')
    expect(zoneHeldBy(0)).toEqual({ serial: 1, records: {} })
    node.network.before = () => undefined
    bench.refuseEverywhere(undefined)
    expect(node.registry.saveZone(ALICE, FIRST)).toEqual({ serial: 1 })
    await completed(task_id)
    expectEverywhere({ serial: 2, ...FIRST })
    expect(node.registry.localZone(ALICE)?.zone.serial).toBe(2)
    expect(node.registry.ownedNames()).toMatchObject([{ serial: 2, published_serial: 2 }])
  })
})
