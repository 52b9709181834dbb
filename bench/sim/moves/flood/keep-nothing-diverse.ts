/** The same with ids that count: a majority of those around the name. */
import { empty } from '../../people/adversary.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'keep-nothing-diverse',
  attacks: [],
  rows: ['nothing of a record counts as published'],
  begins: 'committed',
  ids: 11,
  allows: 'censored',
  async run({ adversary, victim, ids }) {
    adversary.joinNear(victim.recordKey, ids, empty)
    await Promise.resolve()
  }
}
