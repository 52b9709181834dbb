/** Ten ids show another owner of a settled name, while its holders come and go. */
import { showing } from '../../people/adversary.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'newcomers-among-liars',
  attacks: ['newcomers who join among liars'],
  rows: ['a settled name at its holders too, as these come and go'],
  begins: 'settled',
  ids: 10,
  // The row: ten ids take a settled name at its holders too, as these come and go.
  allows: 'taken',
  // Holders change one after the other: in between some have the one claim, some the other.
  excuses: ['P14'],
  lifeDays: 3,
  async run({ world, adversary, victim, ids, thief }) {
    const key = world.newKey()
    const reveal = adversary.claim(victim.name, world.round() - 100, key)
    thief(key.publicKey)
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
    await Promise.resolve()
  }
}
