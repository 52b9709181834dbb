/** A commitment to a pulse that was known already: the rival began its work before it committed. */
import { commit } from '../../../../src/network/client/commit.ts'
import { commitmentHash } from '../../../../src/protocol/claim/commitment.ts'
import { publish } from '../../../../src/network/client/publish.ts'
import { encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'known-pulse',
  attacks: ['a pulse that was known before the commitment', 'seeing C late', 'resetting the stamp'],
  begins: 'committed',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim, thief }) {
    const key = world.newKey()
    const salt = world.random('known pulse').bytes(32)
    const reveal = adversary.claim(victim.name, world.round() - 30, key, salt)
    thief(key.publicKey)
    const { client, store, clock } = adversary.client()
    const commitment = commitmentHash(victim.name, key.publicKey, salt, world.hash)
    await commit(client, victim.name, commitment, new Uint8Array(8))
    while (victim.revealedMs === undefined) await world.sleep(1_000)
    await publish(client, { store, clock }, { kind: 'reveal', id: victim.name, bytes: encodeReveal(reveal) })
  }
}
