/** Diverse ids that holders know before the owner commits show a claim of a name that was guessed. */
import { showing } from '../../people/adversary.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'patient-neighbours',
  attacks: [],
  rows: ['a guessed name, by ids that are there before its owner commits'],
  begins: 'start',
  // Longer than `provisional_settle`: peers known for that long are heard before others.
  leadDays: 8,
  ids: 5,
  // The row: such ids have all holders adopt it. Whom it helps could have registered the name itself.
  allows: 'taken',
  async run({ world, adversary, victim, ids, thief }) {
    const key = world.newKey()
    const reveal = adversary.claim(victim.name, world.round() - 5, key)
    thief(key.publicKey)
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
    await Promise.resolve()
  }
}
