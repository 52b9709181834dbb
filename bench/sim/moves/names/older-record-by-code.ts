/**
 * Once its owner has published another zone, ids around a name show the record before, and as many around its check
 * code show it or give no answer, by turns.
 */
import { showing, silent } from '../../people/adversary.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'older-record-by-code',
  attacks: [],
  begins: 'settled',
  days: 5,
  ids: 19,
  // By its bare name too: it is the owner's record.
  allows: 'harmless',
  isAlone: true,
  async run({ world, adversary, victim, ids }) {
    const older = victim.reveal!
    await victim.changeZone('newer')
    const lieByCode = showing(older, world.hash, victim.codedKey)
    let turn = 0
    adversary.joinNearBoth(victim, ids, showing(older, world.hash), (request, from) =>
      turn++ % 2 === 0 ? lieByCode(request, from) : silent()
    )
  }
}
