/** Six diverse neighbours of a name that answer nothing, at any time. */
import { silent } from '../../people/adversary.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'silent-neighbours',
  attacks: ['a neighbour that never answers'],
  begins: 'start',
  ids: 6,
  allows: 'harmless',
  async run({ adversary, victim, ids }) {
    adversary.joinNear(victim.recordKey, ids, silent)
    await Promise.resolve()
  }
}
