/** The thief of a name's key claims it a second time, with a proper commitment and a VDF. */
import { ALWAYS_AWAKE } from '../../people/owner.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'stolen-key-claims-again',
  attacks: ['a second first link of a stolen key'],
  rows: ['a settled name replaced by the thief of its key'],
  begins: 'settled',
  ids: 0,
  allows: 'harmless',
  async run({ adversary, victim }) {
    await adversary.owner(victim.name, ALWAYS_AWAKE, victim.key).live()
  }
}
