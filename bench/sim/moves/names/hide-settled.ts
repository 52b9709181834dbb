/** Ids around a settled name, and as many around its check code, say that nobody holds it. */
import { empty } from '../../people/adversary.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'hide-settled',
  attacks: ['the only peer that answers'],
  begins: 'settled',
  ids: 20,
  allows: 'censored',
  async run({ adversary, victim, ids }) {
    adversary.joinNearBoth(victim, ids, empty, empty)
    await Promise.resolve()
  }
}
