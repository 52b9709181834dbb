/** The beacon stops in the contest, for a day and a half; a rival that committed too reveals hours later. */
import { ALWAYS_AWAKE, Owner } from '../people/owner.ts'
import { HOUR_MS } from '../world.ts'
import type { Move } from './move.ts'

export const move: Move = {
  id: 'stopped-beacon',
  attacks: ['a stopped beacon holds the contest open', 'old pulses that turn up while the beacon is down'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim, thief }) {
    const rival = new Owner(world, victim.name, ALWAYS_AWAKE, adversary.client())
    adversary.worked(victim.name)
    thief(rival.key.publicKey)
    const round = await rival.committed()
    await rival.work(round)
    while (victim.revealedMs === undefined) await world.sleep(1_000)
    await world.sleep(10_000)
    world.beacon.stop()
    world.timeline.after(36 * HOUR_MS, () => world.beacon.resume())
    await world.sleep(3 * HOUR_MS)
    await rival.keep()
  }
}
