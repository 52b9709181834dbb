/** Ids that came after the commitment show another owner while the name settles. */
import { showing } from '../../people/adversary.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'talk-over-witnesses',
  attacks: ['a witness who is talked over'],
  rows: ['a name in contest or settling, at holders that saw its commitment'],
  begins: 'committed',
  ids: 11,
  allows: 'unpinned',
  async run({ world, adversary, victim, ids, thief }) {
    while (victim.revealedMs === undefined) await world.sleep(60_000)
    const key = world.newKey()
    const reveal = adversary.claim(victim.name, world.round() - 5, key)
    thief(key.publicKey)
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
  }
}
