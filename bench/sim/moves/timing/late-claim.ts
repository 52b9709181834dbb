/** A rival commits when the owner does, and reveals after the contest. */
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'late-claim',
  attacks: ['a better claim that restarts the window', 'equal ties'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim, thief }) {
    const rival = adversary.owner(victim.name)
    thief(rival.key.publicKey)
    await rival.work(await rival.committed())
    while (victim.registeredMs === undefined) await world.sleep(60_000)
    await world.sleep(10 * 60_000)
    await rival.keep()
  }
}
