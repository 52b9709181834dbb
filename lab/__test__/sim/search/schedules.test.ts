/**
 * Random schedules of faults (order, duplicates, delay, loss, crashes, partitions, a beacon that stops) break no
 * invariant: 60 here, SIM_SCHEDULES in `npm run test:long`. SIM_SEED begins elsewhere; the run prints both.
 */
import { describe, expect, it } from 'vitest'
import { Random } from '../../../sim/world/random.ts'
import { runSchedule } from '../../../sim/search/schedules/run-schedule.ts'
import { drawSchedule, shrink, type Schedule } from '../../../sim/search/schedules/schedule.ts'

const COUNT = Number(process.env['SIM_SCHEDULES'] ?? 60)
const SEED = Number(process.env['SIM_SEED'] ?? 1)

const isBroken = async (schedule: Schedule): Promise<boolean> => (await runSchedule(schedule)).violations.length > 0

describe('schedules of faults', () => {
  it(`break no invariant in ${COUNT} random ones`, async () => {
    process.stdout.write(`SIM_SCHEDULES=${COUNT} SIM_SEED=${SEED}\n`)
    for (let index = 0; index < COUNT; index++) {
      const seed = `${SEED + index}`
      const schedule = drawSchedule(seed, new Random(`schedule ${seed}`))
      const { violations, owners } = await runSchedule(schedule)
      const shortest = violations.length > 0 ? await shrink(schedule, isBroken) : schedule
      expect(violations, JSON.stringify(shortest)).toEqual([])
      expect(owners, `--seed ${seed}: each name has an owner in the end`).not.toContain(undefined)
    }
  })

  it('of bad lines leave no node with a single peer to go by, as no open connection ends by a lost message', async () => {
    for (const seed of ['1105', '2714', '8674'])
      expect((await runSchedule(drawSchedule(seed, new Random(`schedule ${seed}`)))).violations, seed).toEqual([])
  })

  it('that cut the network for longer than a name settles break P14, and are shrunk to the cut', async () => {
    const cut = { kind: 'cut', from: 1, until: 400, share: 0.5 } as const
    const schedule: Schedule = {
      seed: '1',
      nodes: 6,
      begins: [10, 10, 15],
      faults: [{ kind: 'crash', at: 20, node: 5, minutes: 3 }, cut, { kind: 'beacon', from: 100, until: 102 }]
    }
    const { violations } = await runSchedule(schedule, 900)
    expect(violations.map(({ rule }) => rule)).toContain('P14')
    const isStillBroken = async (smaller: Schedule): Promise<boolean> =>
      (await runSchedule(smaller, 900)).violations.some(({ rule }) => rule === 'P14')
    expect((await shrink(schedule, isStillBroken)).faults).toEqual([cut])
  })
})
