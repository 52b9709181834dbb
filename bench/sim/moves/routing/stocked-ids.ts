/** Ids visit from one address while nothing is at stake. Once a name is revealed, they come back from six /24. */
import { empty, showing } from '../../people/adversary.ts'
import { wrongAt } from '../../figures/run.ts'
import { HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

const VISIT_MS = 6 * HOUR_MS

export const move: Move = {
  id: 'stocked-ids',
  attacks: ['stocked ids'],
  begins: 'start',
  // Long enough after the visit for nobody to expect them.
  leadDays: 1,
  ids: 12,
  // A resolver without a pin asks for no acquaintance: it believes more than half of those around the name.
  allows: 'unpinned',
  days: 4,
  routing: 'real',
  async run({ world, adversary, victim, ids, thief, breach, remark }) {
    const stock = adversary.joinNear(victim.recordKey, ids, empty, Infinity)
    await world.sleep(VISIT_MS)
    adversary.leave()
    while (victim.revealedMs === undefined) await world.sleep(MINUTE_MS)
    const key = world.newKey()
    const reveal = adversary.claim(victim.name, world.round() - 5, key)
    thief(key.publicKey)
    adversary.comeBack(stock, showing(reveal, world.hash))
    for (;;) {
      await world.sleep(HOUR_MS)
      const wrong = wrongAt(world, victim)
      remark(`${wrong} of ${world.holdersOf(victim.recordKey).length} honest holders have the thief's claim`)
      if (wrong > 0) breach('ids that came back from other addresses talk over holders that saw the commitment')
    }
  }
}
