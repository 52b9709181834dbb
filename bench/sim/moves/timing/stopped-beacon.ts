/** The beacon stops in the contest, for a day and a half; a rival that committed too reveals hours later. */
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'stopped-beacon',
  attacks: ['a stopped beacon holds the contest open', 'old pulses that turn up while the beacon is down'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  // Without a fresh pulse no new name enters (P4).
  excuses: ['P16'],
  async run({ world, adversary, victim, thief }) {
    const rival = adversary.owner(victim.name)
    thief(rival.key.publicKey)
    await rival.work(await rival.committed())
    while (victim.revealedMs === undefined) await world.sleep(1_000)
    await world.sleep(10_000)
    world.beacon.stop()
    world.timeline.after(36 * HOUR_MS, () => world.beacon.resume())
    await world.sleep(3 * HOUR_MS)
    await rival.keep()
  }
}
