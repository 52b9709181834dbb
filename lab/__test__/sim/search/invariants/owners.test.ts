/**
 * What the watcher of owners and resolvers calls broken: P12, by owners who are away for a lease, and P16, by owners whose
 * record nobody keeps.
 */
import { describe, expect, it } from 'vitest'
import { Adversary, empty } from '../../../../sim/people/adversary.ts'
import { OwnerInvariants } from '../../../../sim/search/invariants/owners.ts'
import type { Violation } from '../../../../sim/search/invariants/violation.ts'
import { ALWAYS_AWAKE, Owner, type Habits } from '../../../../sim/people/owner.ts'
import { DAY_MS, HOUR_MS, SHORT_LEASE, World } from '../../../../sim/world/world.ts'

/** A day of an owner among nodes of which twenty keep nothing, once it has committed. */
async function dayAmong(liars: number, habits: Habits = ALWAYS_AWAKE): Promise<Violation[]> {
  const world = new World('refused')
  for (let index = 0; index < 30; index++) world.addNode()
  const owner = new Owner(world, 'the-name-of-an-owner.chronym', habits)
  const watcher = new OwnerInvariants(world)
  const live = async (): Promise<void> => {
    const round = await owner.committed()
    new Adversary(world).joinNear(owner.recordKey, liars, empty)
    await owner.work(round)
    await owner.keep()
  }
  world.timeline.after(0, () => void live())
  const look = (): void => {
    watcher.refused(owner)
    world.timeline.after(HOUR_MS, look)
  }
  world.timeline.after(HOUR_MS, look)
  await world.timeline.runUntil(world.timeline.nowMs + 24 * HOUR_MS)
  return watcher.violations
}

/** Three leases of ten days, with two of grace. */
async function threeLeases(awayDays: number): Promise<Violation[]> {
  const world = new World('kept', SHORT_LEASE)
  for (let index = 0; index < 25; index++) world.addNode()
  const absences = [{ fromMs: 5 * DAY_MS, untilMs: (5 + awayDays) * DAY_MS }]
  const owner = new Owner(world, 'the-name-of-an-owner.chronym', { ...ALWAYS_AWAKE, absences })
  const watcher = new OwnerInvariants(world)
  world.timeline.after(0, () => void owner.live())
  await world.timeline.runUntil(world.timeline.nowMs + 30 * DAY_MS)
  watcher.kept(owner)
  return watcher.violations
}

describe('P12', () => {
  it('is kept by an owner who renews, also after an absence that ends within the grace', async () => {
    expect(await threeLeases(0)).toEqual([])
    expect(await threeLeases(6)).toEqual([])
  })

  it('is broken where the owner is away until the grace has ended', async () => {
    expect(await threeLeases(12)).toMatchObject([{ rule: 'P12' }])
  })
})

describe('P16', () => {
  it('is broken where a record is sent in vain for more than six hours', async () => {
    expect(await dayAmong(20)).toMatchObject([{ rule: 'P16', detail: expect.stringContaining('silence') as string }])
    expect(await dayAmong(0)).toEqual([])
  })

  it('says nothing of an owner that sleeps before it can send its record again', async () => {
    const world = new World('refused')
    const hour = Math.floor((world.timeline.nowMs / HOUR_MS) % 24)
    expect(await dayAmong(20, { ...ALWAYS_AWAKE, hoursAwake: 2, fromHour: hour })).toEqual([])
  })
})
