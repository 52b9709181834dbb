/** What the watchers of contests and sleepers see, on schedules that are made for it; schedules.test.ts draws others. */
import { describe, expect, it } from 'vitest'
import { runSchedule } from '../../../../sim/search/schedules/run-schedule.ts'
import type { Fault } from '../../../../sim/search/schedules/schedule.ts'
import { createMemoryStore, openProcessStore } from '../../../../sim/world/memory-store.ts'

/** The second rival reveals first, and the first one, whose claim is lower, within its contest. */
const OVERTAKEN = { seed: '1', nodes: 7, begins: [10, 10.4, 15], slowness: 1.45 }
const run = (...faults: Fault[]): ReturnType<typeof runSchedule> => runSchedule({ ...OVERTAKEN, faults })

describe('contests in the simulator', () => {
  it('go to the lowest (p, tie) that came in time (P1), and a claim that nobody saw in time wins none', async () => {
    const calm = await run()
    expect(calm).toMatchObject({ violations: [], wrongNodeHours: 0, contestedNodeHours: 0 })
    for (const isCommitted of [false, true]) {
      const { violations, owners } = await run({ kind: 'unseen', rounds: 20, isCommitted })
      expect(violations).toEqual([])
      expect(owners).toEqual(calm.owners)
    }
  })

  it('leave no holder that slept with another claim (P18), which counts as wrong until it hears of it', async () => {
    const asleep = await run({ kind: 'sleep', at: 13.7, node: 2, minutes: 130 })
    expect(asleep.violations).toEqual([])
    expect(asleep.wrongNodeHours).toBeGreaterThan(2)
    expect(asleep.contestedNodeHours).toBeGreaterThan(asleep.wrongNodeHours)
  })

  it('find each receipt remembered by nodes that were killed at a write (P11), and C sent again changes none (P2)', async () => {
    for (let writes = 1; writes <= 4; writes++) {
      const { violations } = await run(
        { kind: 'kill', at: 9, node: 1, writes, minutes: 20 },
        { kind: 'commitment', at: 12, node: 2, owner: 0 },
        { kind: 'commitment', at: 12, node: 3, owner: 1 }
      )
      expect(violations).toEqual([])
    }
  })
})

describe('the store of a process', () => {
  it('loses the write at which it is killed, and all after it', () => {
    const disk = createMemoryStore()
    const running = openProcessStore(disk)
    let isKilled = false
    running.killAtWrite(2, () => {
      isKilled = true
    })
    for (const key of ['a', 'b', 'c']) running.store.put(key, new Uint8Array([1]))
    running.store.delete('a')
    expect([...disk.keys('')]).toEqual(['a'])
    expect(isKilled).toBe(true)
  })
})
