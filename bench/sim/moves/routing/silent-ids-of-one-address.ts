/** Ids of one address around a name take its commitment and do not answer. */
import { silent } from '../../people/adversary.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'silent-ids-of-one-address',
  attacks: ['silent ids of one address'],
  rows: ['nobody can commit, under one prefix of keys'],
  begins: 'start',
  ids: 20,
  allows: 'harmless',
  async run({ adversary, victim, ids }) {
    adversary.joinNear(victim.recordKey, ids, silent, Infinity)
    await Promise.resolve()
  }
}
