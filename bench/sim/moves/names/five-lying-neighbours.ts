/** Five diverse ids that come once the owner works show another one while the holders enter the name. */
import { showing } from '../../people/adversary.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'five-lying-neighbours',
  attacks: ['five lying neighbours', 'neighbours that come for a name', 'a repair that swings back and forth'],
  begins: 'committed',
  ids: 5,
  allows: 'harmless',
  async run({ world, adversary, victim, ids, thief }) {
    const key = world.newKey()
    const reveal = adversary.claim(victim.name, world.round() - 5, key)
    thief(key.publicKey)
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
    await Promise.resolve()
  }
}
