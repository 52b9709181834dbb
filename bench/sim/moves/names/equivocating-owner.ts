/** The owner signs two zones with one serial and sends each to all holders. */
import { publish } from '../../../../src/network/client/publish.ts'
import { encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import { withZone } from '../../world/claims.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'equivocating-owner',
  attacks: ['two payloads at one (p, serial)', 'older changes sent again', 'an older record shown again'],
  begins: 'settled',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim }) {
    const { client, store, clock } = adversary.client()
    for (const note of ['one', 'two', 'one', 'two']) {
      const bytes = encodeReveal(withZone(victim.reveal!, victim.key, 2, note, world.profile))
      await publish(client, { store, clock }, { kind: 'reveal', id: victim.name, bytes })
      await world.sleep(40_000)
    }
  }
}
