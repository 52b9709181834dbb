/** A rival reads the name in a claim that took longer than its witnesses stayed, commits then, and is faster. */
import type { SimNode } from '../../world/sim-node.ts'
import { ALWAYS_AWAKE } from '../../people/owner.ts'
import { DAY_MS, MINUTE_MS, type World } from '../../world/world.ts'
import type { Move } from '../move.ts'

const SQUARINGS = 6e8
const WORK_DAYS = 8

export const move: Move = {
  id: 'slow-owner',
  attacks: ['a rival who commits after a slow owner'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  habits: { ...ALWAYS_AWAKE, squaringsPerSecond: (SQUARINGS * 1000) / (WORK_DAYS * DAY_MS) },
  lifeDays: 3,
  days: WORK_DAYS + 2.5,
  isAlone: true,
  async run({ world, adversary, victim, thief, remark }) {
    askAsTheyCome(world, victim.recordKey)
    while (victim.revealedMs === undefined) await world.sleep(MINUTE_MS)
    await world.sleep(10 * MINUTE_MS)
    const holders = world.holdersOf(victim.recordKey)
    const witnessed = holders.filter(({ held }) =>
      ['fresh', 'settling'].includes(held.get(victim.name)?.state ?? 'none')
    )
    remark(`${witnessed.length} of ${holders.length} holders take the claim for witnessed as it is revealed`)
    const rival = adversary.owner(victim.name)
    thief(rival.key.publicKey)
    await rival.live()
  }
}

/** The simulator's nodes ask their neighbours for commitments when names are handed over; here each newcomer does. */
function askAsTheyCome(world: World, key: Uint8Array): void {
  const near = (): SimNode[] => world.topology.near(key).slice(0, 40)
  const known = new Set(near())
  const look = (): void => {
    for (const node of near()) {
      if (known.has(node)) continue
      known.add(node)
      for (const minute of [1, 65, 130])
        void world.timeline.after(minute * MINUTE_MS, () => void (node.isAwake && node.replicate()))
    }
    void world.timeline.after(2 * MINUTE_MS, look)
  }
  look()
}
