/** The same majority for one hour a day. */
import { showing, empty } from '../../people/adversary.ts'
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'eclipse-an-hour-a-day',
  attacks: ['a majority seen once'],
  rows: ['the same, remembered'],
  begins: 'settled',
  ids: 11,
  allows: 'unpinned',
  async run({ world, adversary, victim, ids, thief }) {
    const key = world.newKey()
    const reveal = adversary.claim(victim.name, world.round() - 100, key)
    thief(key.publicKey)
    const show = showing(reveal, world.hash)
    const held = showing(victim.reveal!, world.hash)
    let isShown = true
    adversary.joinNear(victim.recordKey, ids, (request, from) =>
      request.type === 'get' ? (isShown ? show : held)(request, from) : empty(request)
    )
    for (;;) {
      await world.sleep(HOUR_MS)
      isShown = false
      await world.sleep(23 * HOUR_MS)
      isShown = true
    }
  }
}
