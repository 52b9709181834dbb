/** A rival commits when the owner does, and reveals after the contest. */
import { ALWAYS_AWAKE, Owner } from '../people/owner.ts'
import type { Move } from './move.ts'

export const move: Move = {
  id: 'late-claim',
  attacks: ['a better claim that restarts the window', 'equal ties'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim, thief }) {
    const rival = new Owner(world, victim.name, ALWAYS_AWAKE, adversary.client())
    adversary.worked(victim.name)
    thief(rival.key.publicKey)
    const round = await rival.committed()
    await rival.work(round)
    while (victim.registeredMs === undefined) await world.sleep(60_000)
    await world.sleep(10 * 60_000)
    await rival.keep()
  }
}
