/** A claim finished long before the owner's, kept back past the reveal window, and shown in the owner's contest. */
import { ALWAYS_AWAKE, Owner } from '../people/owner.ts'
import type { Move } from './move.ts'

export const move: Move = {
  id: 'kept-back-claim',
  attacks: ['a finished claim that is kept back'],
  begins: 'start',
  leadDays: 15,
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim, thief }) {
    const rival = new Owner(world, victim.name, ALWAYS_AWAKE, adversary.client())
    adversary.worked(victim.name)
    thief(rival.key.publicKey)
    const round = await rival.committed()
    await rival.work(round)
    while (victim.revealedMs === undefined) await world.sleep(1_000)
    await rival.keep()
  }
}
