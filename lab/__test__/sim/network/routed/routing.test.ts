/** Nodes of the simulator that find one another by the project's own look-ups and tables. */
import { describe, expect, it } from 'vitest'
import { Adversary } from '../../../../sim/people/adversary.ts'
import { MOVES } from '../../../../sim/moves/index.ts'
import { measureLookUps } from '../../../../sim/network/routed/measure.ts'
import { Owner } from '../../../../sim/people/owner.ts'
import { MINUTE_MS, World } from '../../../../sim/world/world.ts'

const NODES = 24

describe('real routing', () => {
  it('finds the nearest nodes, in at most one hop more than the formula, and the same ones by the same seed', async () => {
    const [figures, again] = [await measureLookUps(NODES, '1', 6), await measureLookUps(NODES, '1', 6)]
    expect(again).toEqual(figures)
    for (const { foundShare, mostHops, size } of [figures.settled, figures.newcomers]) {
      expect(foundShare).toBeGreaterThan(0.98)
      expect(mostHops).toBeLessThanOrEqual(figures.modelledHops + 1)
      expect(size[1]).toBeGreaterThan(0.7 * NODES)
      expect(size[1]).toBeLessThan(1.5 * NODES)
    }
  })

  // The parts of these moves that need no settled name: the first look-ups of newcomers.
  it.each(['false-addresses', 'peers-behind-an-address', 'peers-that-nobody-can-reach'])(
    'keeps what it promises under the move %s',
    async (id) => {
      const world = new World('1', undefined, undefined, 'real')
      for (let index = 0; index < NODES; index++) world.addNode()
      await world.establish([])
      const breaches: string[] = []
      const move = MOVES.find((each) => each.id === id)!
      const stage = {
        world,
        adversary: new Adversary(world),
        victim: new Owner(world, 'the-name-that-they-want.chronym'),
        ids: move.ids,
        thief: () => undefined,
        breach: (detail: string) => void breaches.push(detail),
        remark: () => undefined
      }
      world.timeline.after(MINUTE_MS, () => void move.run(stage))
      await world.timeline.runUntil(world.timeline.nowMs + 3 * MINUTE_MS)
      expect(breaches).toEqual([])
      expect(world.ledger.lookUps.questions).toBeGreaterThan(NODES / 2)
    }
  )
})
