/** A claim with an earlier pulse and a whole VDF, which no node saw committed, sent to all holders in the contest. */
import { publish } from '../../../../src/network/client/publish.ts'
import { encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'unwitnessed-claim',
  attacks: ['a claim nobody has witnessed', 'a squatter without a witness', 'rivals that keep a claim provisional'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim, thief }) {
    const key = world.newKey()
    const reveal = adversary.claim(victim.name, world.round() - 1, key)
    thief(key.publicKey)
    const { client, store, clock } = adversary.client()
    while (victim.revealedMs === undefined) await world.sleep(1_000)
    for (let again = 0; again < 24; again++) {
      await publish(client, { store, clock }, { kind: 'reveal', id: victim.name, bytes: encodeReveal(reveal) })
      await world.sleep(again < 12 ? 10_000 : 3_600_000)
    }
  }
}
