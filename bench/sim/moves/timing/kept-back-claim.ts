/** A claim finished long before the owner's, kept back past the reveal window, and shown in the owner's contest. */
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'kept-back-claim',
  attacks: ['a finished claim that is kept back'],
  begins: 'start',
  leadDays: 15,
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim, thief }) {
    const rival = adversary.owner(victim.name)
    thief(rival.key.publicKey)
    await rival.work(await rival.committed())
    while (victim.revealedMs === undefined) await world.sleep(1_000)
    await rival.keep()
  }
}
