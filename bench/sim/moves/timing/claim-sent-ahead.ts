/** Five diverse ids come once the owner works. A claim that they show is sent to all holders before the owner's. */
import { publish } from '../../../../src/network/client/publish.ts'
import { encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import { showing } from '../../people/adversary.ts'
import { ALWAYS_AWAKE } from '../../people/owner.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'claim-sent-ahead',
  attacks: ['neighbours that come for a name'],
  begins: 'committed',
  ids: 5,
  allows: 'harmless',
  // It takes 21 hours: what newcomers were made to adopt has not settled by then.
  habits: { ...ALWAYS_AWAKE, squaringsPerSecond: 8_000 },
  async run({ world, adversary, victim, ids, thief }) {
    const key = world.newKey()
    const reveal = adversary.claim(victim.name, world.round() - 5, key)
    thief(key.publicKey)
    adversary.joinNear(victim.recordKey, ids, showing(reveal, world.hash))
    const { client, store, clock } = adversary.client()
    // A claim shown no later than C is seen comes before it (10).
    await world.sleep(60_000)
    while (victim.revealedMs === undefined) {
      await publish(client, { store, clock }, { kind: 'reveal', id: victim.name, bytes: encodeReveal(reveal) })
      await world.sleep(3_600_000)
    }
  }
}
