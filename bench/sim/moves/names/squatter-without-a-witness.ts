/** Before the owner reveals, a claim that nobody saw committed lies at all holders already. */
import { publish } from '../../../../src/network/client/publish.ts'
import { encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'squatter-without-a-witness',
  attacks: ['a claim nobody has witnessed', 'a squatter without a witness'],
  rows: ['a free name that looks taken'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim, thief }) {
    const key = world.newKey()
    const reveal = adversary.claim(victim.name, world.round() - 1, key)
    thief(key.publicKey)
    const { client, store, clock } = adversary.client()
    await publish(client, { store, clock }, { kind: 'reveal', id: victim.name, bytes: encodeReveal(reveal) })
  }
}
