/** Ids around a name accept its record, say so, and keep nothing. */
import { empty } from '../../people/adversary.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'keep-nothing',
  attacks: ['ids of one address that keep nothing'],
  begins: 'committed',
  ids: 12,
  allows: 'harmless',
  async run({ adversary, victim, ids }) {
    adversary.joinNear(victim.recordKey, ids, empty, Infinity)
    await Promise.resolve()
  }
}
